import type { Listed, PageRange } from '../../model/page.ts'
import type { Permission } from '../../model/registry.ts'
import type { ScopePattern } from '../../model/scope-path.ts'

/** An offer of a grant, by a link that works once. Times are epoch milliseconds. */
export interface InvitationRecord {
  id: string
  namespaceId: string
  /** The name of the namespace. */
  namespace: string
  /** The only address that it is for, in lower case; null for anyone who has the link. */
  email: string | null
  scope: ScopePattern
  perms: readonly Permission[]
  groups: readonly string[]
  createdBy: string
  createdAt: number
  expiresAt: number
  /** When the grant that it gives expires; null for never. */
  grantEndsAt: number | null
  acceptedAt: number | null
  acceptedBy: string | null
  revokedAt: number | null
}

export interface InvitationReader {
  /** By the SHA-256 of its token, in any state. Null if it is unknown or its namespace was deleted. */
  find(hash: string): Promise<InvitationRecord | null>
  /** In any state, oldest first. */
  list(namespaceId: string, range?: PageRange): Promise<Listed<InvitationRecord>>
  /** Where the grant of one in any state applies; null if there is none. */
  scopeOf(namespaceId: string, id: string): Promise<ScopePattern | null>
  /** The address of the person who signs in as this principal, in lower case; null if there is none, or nobody proved it. */
  provedEmailOf(principalId: string): Promise<string | null>
}

/** Writes under the head row of the namespace. */
export interface InvitationWriter extends InvitationReader {
  countOpen(namespaceId: string, now: number): Promise<number>
  insert(
    invitation: Omit<InvitationRecord, 'namespace' | 'acceptedAt' | 'acceptedBy' | 'revokedAt'>,
    hash: string,
  ): Promise<void>
  /** False, and nothing is written, unless it is open. */
  accept(invitation: Pick<InvitationRecord, 'namespaceId' | 'id'>, by: string, now: number): Promise<boolean>
  /** The same. */
  revoke(namespaceId: string, id: string, now: number): Promise<boolean>
}
