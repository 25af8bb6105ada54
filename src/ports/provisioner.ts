import type { AuditEntry } from '../model/audit.ts'
import type { Grant, Namespace, NamespaceRecord, PrincipalKind, Scope } from '../model/registry.ts'
import type { TierName } from '../model/tiers.ts'
import type { AccessReader } from './access-reader.ts'
import type { BillingWriter } from './billing-store.ts'
import type { GrantRow, NamespaceWriter } from './namespace-writer.ts'
import type { RegistryReader } from './registry.ts'
import type { TokenRow } from './tokens.ts'

/**
 * Writes what namespaces, principals and grants are made of. Every namespace whose registry changes has its head row
 * locked first, so its other writers wait. What is called `ensure` keeps what already exists.
 */
export interface Provisioner {
  /** What holds under the lock, the changes of this transaction included. */
  access: AccessReader
  registry: RegistryReader
  claims: NamespaceClaims
  billing: BillingWriter
  hasPrincipals(): Promise<boolean>
  /** The writes of one namespace, as part of this transaction. */
  within(namespaceId: string): Promise<NamespaceWriter>
  ensureNamespace(namespace: { id: string; name: string; tier: TierName; createdAt: number }): Promise<Namespace>
  ensurePrincipal(principal: PrincipalRow): Promise<void>
  ensureGrant(namespaceId: string, grant: GrantRow): Promise<void>
  /** Replaces the principal's tokens of this name; returns the hashes that no longer work. */
  replaceTokens(principalId: string, token: TokenRow): Promise<string[]>
  insertGrant(namespaceId: string, grant: GrantRow): Promise<void>
  /** Makes a namespace with its owner, who stands for the user of a console session. */
  provisionUser(home: NewHome): Promise<void>
  removeGrant(namespaceId: string, id: string): Promise<void>
  /** The grants of `admin` on `*` that make somebody an admin principal for good: without an end, of a live one that may write. */
  adminGrants(namespaceId: string): Promise<{ id: string; principalId: string }[]>
  /** Ids of the live namespaces in which one of these principals holds such a grant. */
  administeredBy(principalIds: readonly string[]): Promise<string[]>
  /** Logical; its tokens and its grants in every namespace go. The link to its user stays. */
  removePrincipal(namespaceId: string, principalId: string, now: number): Promise<Revoked>
  /** Logical, with its scopes, its grants and the principals homed in it, whose users are free to start anew. */
  removeNamespace(namespaceId: string, now: number): Promise<Revoked & { scopes: number; principals: number }>
  /** Appends to a live namespace's chain. */
  audit(namespaceId: string, entry: AuditEntry): Promise<void>
}

/** What claiming a namespace asks and does. */
export interface NamespaceClaims {
  /** The namespace that holds or held this name: names are never reissued. */
  holderOf(name: string): Promise<(NamespaceRecord & { deleted: boolean }) | null>
  /** Whether anybody but this principal is or was homed in the namespace, or holds a grant in it. */
  isUsedByOthers(namespaceId: string, principalId: string): Promise<boolean>
  /**
   * Live registered namespaces that count against the quota of a home: itself, and those whose owner is or was homed in
   * it or owns it. `exceptId` is left out.
   */
  countRegistered(homeId: string, exceptId: string): Promise<number>
  /** Ids of the live namespaces, registered or not, that those of these principals own who were not deleted. */
  ownedBy(principalIds: readonly string[]): Promise<string[]>
  /** Whether a live scope is registered, other than a starter scope that never held a Unit. */
  hasScopes(namespaceId: string): Promise<boolean>
  /** Registers the namespace to its owner, whoever owned it before. */
  register(namespaceId: string, owner: string): Promise<void>
  /** Makes the namespace the principal's home, with everything in it as the active scope. */
  moveHome(principalId: string, namespaceId: string): Promise<void>
}

/** What a removal took away. */
export interface Revoked {
  /** Hashes of tokens that no longer work. */
  tokens: string[]
  grants: { namespaceId: string; id: string; principalId: string }[]
}

/** What a user starts with: a home that is not in the registry, everything granted in it, and one scope. */
export interface NewHome {
  userId: string
  principalId: string
  namespace: { id: string; name: string }
  tier: TierName
  grant: Grant
  scope: Omit<Scope, 'namespace' | 'createdAt'>
  createdAt: number
}

export interface PrincipalRow {
  principalId: string
  namespaceId: string
  kind: PrincipalKind
  groups: readonly string[]
  readOnly: boolean
  activeScope: string
  createdAt: number
}
