import { forbidden } from '../../errors.ts'
import { covers } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import type { UnitSelection } from '../../ports/catalog/namespace-writer.ts'
import { admit, requireBelow } from '../access/gate.ts'
import { label, parseItems } from '../input/parse.ts'
import type { DeleteInput } from './delete-input.ts'
import { reachOf } from './reach-of.ts'
import { type DeleteResult, type RemoveDeps, removeUnits } from './remove-units.ts'

/**
 * Removes readable Units in writable scopes. An id is a Unit's `unit_id`, otherwise the external id of a Unit that the
 * caller ingested. Unknown and hidden ids are not counted.
 */
export async function deleteUnits(deps: RemoveDeps, session: Session, input: DeleteInput): Promise<DeleteResult> {
  const { ids: sent, filter, hard } = input
  const ids = sent && (await parseItems(label(), sent, ['ids']))
  admit(session, 'deleteUnits')
  const { scope, ...columns } = filter ?? {}
  if (scope !== undefined) requireWithin(session, scope)
  const reach: UnitSelection = {
    ...columns,
    ...reachOf(session, scope),
    states: hard ? ['live', 'tombstoned'] : ['live'],
  }
  // Only once: an external id selects one Unit; after its deletion it would select the next one.
  const named = ids && (await resolveIds(deps, session, reach, ids))
  const selection = named ? { ...reach, ids: named } : reach
  return removeUnits(deps, session, selection, { hard })
}

function resolveIds({ catalog }: RemoveDeps, session: Session, reach: UnitSelection, ids: readonly string[]) {
  return catalog.transact(session.namespace.id, (tx) => tx.units.resolve({ ...reach, ids }, session.principalId))
}

function requireWithin(session: Session, scope: string): void {
  if (!covers(session.requestedScope, scope))
    throw forbidden(`scope ${scope} must be within the requested scope ${session.requestedScope}`)
  requireBelow(session, 'write', scope)
}
