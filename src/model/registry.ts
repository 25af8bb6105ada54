import type { ScopePattern } from './scope-path.ts'
import type { TierName } from './tiers.ts'
import type { Plane } from './unit.ts'

export const permissions = ['read', 'write', 'admin'] as const
export type Permission = (typeof permissions)[number]

export const principalKinds = ['user', 'agent', 'service'] as const
export type PrincipalKind = (typeof principalKinds)[number]

/** What a home is provisioned with; while it holds nothing but this, it counts as having no scopes. */
export const starterScope = 'default/main'

/** `id` is minted once and never reissued; `name` is the label on the wire. */
export interface Namespace {
  id: string
  name: string
  tier: TierName
}

/** `principalId` is immutable, unique across namespaces and never reissued, so it serves as the key. */
export interface Principal {
  principalId: string
  home: Namespace
  kind: PrincipalKind
  groups: readonly string[]
  readOnly: boolean
  activeScope: ScopePattern
}

/** Permissions on a scope path and all below it, or on `*`. */
export interface Grant {
  id: string
  scope: ScopePattern
  perms: readonly Permission[]
  groups: readonly string[]
  /** Epoch milliseconds: from then on it counts nowhere. Null for never. */
  expiresAt: number | null
}

/** A registered scope. `id` dies with the record: a scope created again under the same path has another one. */
export interface Scope {
  id: string
  scope: string
  namespace: string
  parent: string | null
  planes: readonly Plane[]
  readOnlyAgents: boolean
  createdAt: number
}

/** What an API key takes away from its principal; `undefined` takes nothing. A key can only narrow. */
export interface KeyRestrictions {
  perms?: readonly Permission[]
  scopePrefix?: string
  planes?: readonly Plane[]
  groups?: readonly string[]
}

/** A namespace as the registry keeps it. */
export interface NamespaceRecord extends Namespace {
  /** The principal that claimed it, or null. */
  owner: string | null
  /** False for a home that was provisioned for its user and not claimed. */
  registered: boolean
  /** Epoch milliseconds. */
  createdAt: number
}

/** A grant as the registry keeps it; `namespace` is the name of the one that it opens. */
export interface GrantRecord extends Grant {
  principalId: string
  namespace: string
  grantedBy: string
  /** Epoch milliseconds. */
  createdAt: number
}

/** A principal as the registry of its home keeps it; `namespace` is the home's name. */
export interface PrincipalRecord extends Omit<Principal, 'home'> {
  namespace: string
  /** Epoch milliseconds. */
  createdAt: number
}
