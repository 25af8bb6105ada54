import type { Grant, KeyRestrictions, Namespace, Principal, Scope } from '../../model/registry.ts'

export interface AccessReader {
  /** Null when no such token is stored. The caller checks `expiresAt`. */
  token(hash: string): Promise<{ principalId: string; expiresAt: number | null; restrictions: KeyRestrictions } | null>
  /** The principal linked to the user of a console session. A deleted principal keeps its link. */
  principalOfUser(userId: string): Promise<string | null>
  /**
   * With the grants that are valid at `now`. Null when the principal is unknown or deleted. `target` is null for a
   * namespace that does not exist.
   */
  membership(principalId: string, targetName: string | undefined, now: number): Promise<Membership | null>
  /** The same for a caller that needs no grants. Null for a namespace that does not exist. */
  namespace(name: string): Promise<{ namespace: Namespace; scopes: Scope[] } | null>
  /** A deleted namespace: only its audit log is left. Null for a name that was never used, or is in use. */
  deletedNamespace(name: string): Promise<Namespace | null>
  /** Whether a principal homed in the namespace was deleted. */
  wasDeleted(namespaceId: string, principalId: string): Promise<boolean>
  hasPrincipals(): Promise<boolean>
}

export interface Membership {
  principal: Principal
  target: { namespace: Namespace; grants: Grant[]; scopes: Scope[] } | null
}
