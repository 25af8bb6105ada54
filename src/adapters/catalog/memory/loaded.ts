import { mayRead, type ReadClause } from '../../../model/acl.ts'
import type { Visibility } from '../../../ports/catalog/visibility.ts'
import type { LoadedUnit } from '../sql/units/rows.ts'

/** About what a Unit takes besides its text. Bytes. */
const unitBytes = 900

/** About what a Unit takes. Bytes. */
export const sizeOf = ({ unit }: LoadedUnit): number =>
  unitBytes + 2 * ((unit?.text?.length ?? 0) + (unit?.title?.length ?? 0))

/** What decides who may read something. */
type Closing = Pick<LoadedUnit, 'scopeId' | 'acl'>

const clauseOf = (clauses: readonly ReadClause[], { scopeId }: Closing) =>
  clauses.find(({ scopeIds }) => scopeIds.includes(scopeId))

/** The per-Unit rule, as in the SQL of `units/visibility.ts`. */
export function isVisible({ clauses, planes }: Visibility, loaded: LoadedUnit): boolean {
  const clause = clauseOf(clauses, loaded)
  return clause !== undefined && planes.includes(loaded.plane) && mayRead(clause.reader, loaded.acl)
}

/** Its scope is in the clauses, but they do not allow reading it. */
export function isClosed(clauses: readonly ReadClause[], loaded: Closing): boolean {
  const clause = clauseOf(clauses, loaded)
  return clause !== undefined && !mayRead(clause.reader, loaded.acl)
}
