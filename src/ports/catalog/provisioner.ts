import type { AuditEntry } from '../../model/audit.ts'
import type {
  Grant,
  Namespace,
  NamespaceRecord,
  NamespaceSettings,
  PrincipalKind,
  Scope,
} from '../../model/registry.ts'
import type { TierName } from '../../model/tiers.ts'
import type { AccessReader } from './access-reader.ts'
import type { BillingWriter } from './billing-store.ts'
import type { InvitationWriter } from './invitations.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { GrantRow, NamespaceWriter } from './namespace-writer.ts'
import type { RegistryReader } from './registry.ts'
import type { TokenRow } from './tokens.ts'

/**
 * Writes namespaces, principals and grants. Before it changes a namespace's registry, it locks the namespace's head
 * row, so other writers wait. Methods named `ensure…` keep what already exists.
 */
export interface Provisioner {
  /** The state under the lock, including the changes of this transaction. */
  access: AccessReader
  registry: RegistryReader
  claims: NamespaceClaims
  billing: BillingWriter
  invitations: InvitationWriter
  kept: KeptAnswers
  hasPrincipals(): Promise<boolean>
  /** The writes of one namespace, as part of this transaction. */
  within(namespaceId: string): Promise<NamespaceWriter>
  ensureNamespace(namespace: { id: string; name: string; tier: TierName; createdAt: number }): Promise<Namespace>
  updateNamespace(namespaceId: string, settings: Partial<NamespaceSettings>): Promise<void>
  ensurePrincipal(principal: PrincipalRow): Promise<void>
  ensureGrant(namespaceId: string, grant: GrantRow): Promise<void>
  /** Replaces the principal's tokens of this name; returns the hashes of revoked tokens. */
  replaceTokens(principalId: string, token: TokenRow): Promise<string[]>
  insertGrant(namespaceId: string, grant: GrantRow): Promise<void>
  /** Creates a namespace with its owner, the principal for the user of a console session. */
  provisionUser(home: NewHome): Promise<void>
  removeGrant(namespaceId: string, id: string): Promise<void>
  /**
   * The grants of `admin` on `*` that make someone a permanent admin principal: no expiry, and a live principal that
   * may write.
   */
  adminGrants(namespaceId: string): Promise<{ id: string; principalId: string }[]>
  /** Ids of the live namespaces where one of these principals has such a grant. */
  administeredBy(principalIds: readonly string[]): Promise<string[]>
  /** Logical; removes its tokens and its grants in every namespace. The link to its user stays. */
  removePrincipal(namespaceId: string, principalId: string, now: number): Promise<Revoked>
  /** Logical, with its scopes, its grants and the principals homed in it. Their users can start again. */
  removeNamespace(namespaceId: string, now: number): Promise<Revoked & { scopes: number; principals: number }>
  /** Appends to a live namespace's chain. */
  audit(namespaceId: string, entry: AuditEntry): Promise<void>
}

/** The reads and writes needed to claim a namespace. */
export interface NamespaceClaims {
  /** The namespace that has or had this name: names are never reused. */
  holderOf(name: string): Promise<(NamespaceRecord & { deleted: boolean }) | null>
  /** Whether anyone except this principal is or was homed in the namespace, or has a grant in it. */
  isUsedByOthers(namespaceId: string, principalId: string): Promise<boolean>
  /**
   * Live registered namespaces that count against the quota of a home namespace: itself, and those whose owner is or
   * was homed in it or owns it. `exceptId` is left out.
   */
  countRegistered(homeId: string, exceptId: string): Promise<number>
  /** Ids of the live namespaces, registered or not, owned by those of these principals that are not deleted. */
  ownedBy(principalIds: readonly string[]): Promise<string[]>
  /** Whether a live scope is registered, except a starter scope that never had a Unit. */
  hasScopes(namespaceId: string): Promise<boolean>
  /** Registers the namespace to this owner, even if it had another one. */
  register(namespaceId: string, owner: string): Promise<void>
  /** Makes the namespace the principal's home, with all of it as the active scope. */
  moveHome(principalId: string, namespaceId: string): Promise<void>
}

/** What a removal removed. */
export interface Revoked {
  /** Hashes of revoked tokens. */
  tokens: string[]
  grants: { namespaceId: string; id: string; principalId: string }[]
}

/** What a new user gets: an unregistered home namespace, a grant of everything in it, and one scope. */
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
