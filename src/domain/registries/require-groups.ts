import { forbidden } from '../../errors.ts'
import type { ScopePattern } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'

/** A group opens what its members may read: an admin can give only its own groups in that scope, the owner any. */
export function requireGroups(
  session: Session,
  owner: string | null,
  groups: readonly string[],
  scope: ScopePattern,
): void {
  const { caller, restrictions } = session.facts
  if (caller.superAdmin || (owner === session.principalId && restrictions.groups === undefined)) return
  const own = session.groupsAt(scope)
  if (!groups.every((group) => own.includes(group)))
    throw forbidden(`groups: you can only grant groups you belong to on ${scope}`)
}
