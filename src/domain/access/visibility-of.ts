import type { Permission } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Visibility } from '../../ports/catalog.ts'

/** The clamp of a session: the requested scopes in which it holds `perm`, the key's planes, the reader's eyes. */
export function visibilityOf(session: Session, perm: Permission): Visibility {
  return {
    namespaceId: session.namespace.id,
    scopeIds: session.scopesInReach(perm).map((scope) => scope.id),
    planes: session.keyPlanes,
    reader: session.reader,
  }
}
