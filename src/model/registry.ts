import type { ScopePattern } from './scope-path.ts'
import type { TierName } from './tiers.ts'
import type { Plane } from './unit.ts'

export const permissions = ['read', 'write', 'admin'] as const
export type Permission = (typeof permissions)[number]

export type PrincipalKind = 'user' | 'agent' | 'service'

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
  scope: ScopePattern
  perms: readonly Permission[]
  groups: readonly string[]
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
