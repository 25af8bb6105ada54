import { covers, type ScopePattern } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import type { UnitReach } from '../../ports/catalog/namespace-writer.ts'
import { clausesOver } from '../access/visibility.ts'

/** The Units that the caller may change: readable ones in writable scopes, at or below `within`. */
export function reachOf(session: Session, within: ScopePattern = '*'): UnitReach {
  const scopes = session.scopesInReach('write').filter((s) => session.may('read', s.scope) && covers(within, s.scope))
  return { clauses: clausesOver(session, scopes), planes: session.keyPlanes }
}
