import { covers, type ScopePattern } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import type { UnitSelection } from '../../ports/namespace-writer.ts'

/** The Units that the caller may change: readable ones in writable scopes, at or below `within`. */
export function reachOf(
  session: Session,
  within: ScopePattern = '*',
): Pick<UnitSelection, 'scopeIds' | 'planes' | 'reader'> {
  const scopes = session.scopesInReach('write').filter((s) => session.may('read', s.scope) && covers(within, s.scope))
  return {
    scopeIds: scopes.map((s) => s.id),
    planes: session.keyPlanes,
    reader: session.reader,
  }
}
