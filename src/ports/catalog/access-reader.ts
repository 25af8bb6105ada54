import type { Grant, KeyRestrictions, Namespace, NamespaceSettings, Principal, Scope } from '../../model/registry.ts'
import type { Moment } from '../../model/session.ts'

export interface AccessReader {
  /** Null when no such token is stored. The caller checks `expiresAt`. */
  token(hash: string): Promise<StoredToken | null>
  /** The principal linked to the user of a console session. A deleted principal keeps its link. */
  principalOfUser(userId: string): Promise<string | null>
  /**
   * With the grants that are valid at `now`. Null when the principal is unknown or deleted. `target` is null for a
   * namespace that does not exist.
   */
  membership(
    principalId: string,
    targetName: string | undefined,
    now: number,
    tokenHash?: string,
  ): Promise<Membership | null>
  /** The same for a caller that needs no grants. Null for a namespace that does not exist. */
  namespace(name: string): Promise<EnteredNamespace | null>
  /** A deleted namespace: only its audit log is left. Null for a name that was never used, or is in use. */
  deletedNamespace(name: string): Promise<(Namespace & NamespaceSettings) | null>
  /** Whether a principal homed in the namespace was deleted. */
  wasDeleted(namespaceId: string, principalId: string): Promise<boolean>
  hasPrincipals(): Promise<boolean>
  /** `membership` also reads whether the caller's token still exists. A result of `token` may then be kept for long. */
  provesTokens?: true
}

export interface StoredToken {
  principalId: string
  expiresAt: number | null
  restrictions: KeyRestrictions
}

export interface EnteredNamespace {
  namespace: Namespace & NamespaceSettings
  scopes: Scope[]
  /** The state that all of this was read in. */
  asOf?: Moment
}

export interface Membership {
  principal: Principal
  /** With `tokenHash` and `provesTokens` only: this token of the principal, or null. */
  token?: StoredToken | null
  target: (EnteredNamespace & { grants: Grant[] }) | null
}
