import type { ReadClause } from '../../model/acl.ts'
import type { Permission, Scope } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Visibility } from '../../ports/catalog/visibility.ts'

/** The limits of a session: requested scopes where it holds `perm`, the key's planes, whose ACL rights apply where. */
export const visibilityOf = (session: Session, perm: Permission): Visibility => ({
  namespaceId: session.namespace.id,
  clauses: clausesOver(session, session.scopesInReach(perm)),
  planes: session.keyPlanes,
  asOf: session.facts.asOf,
})

export const clausesOver = (session: Session, scopes: readonly Scope[]): ReadClause[] =>
  session.clausesOver(scopes).map(({ reader, scopes }) => ({ reader, scopeIds: scopes.map(({ id }) => id) }))
