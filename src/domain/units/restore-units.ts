import { InvalidInputError } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import type { NamespaceWriter, StoredUnit } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { reachOf } from './delete-units.ts'
import { checkDocuments, requireEnabled, requirePlane, withinCap } from './limits.ts'
import { maxRestored } from './unit-input.ts'

export interface RestoreResult {
  /** Units that the caller may restore, or that are live already. */
  matched: number
  restored: number
  seq: number
  /** False when indexing did not catch up within the configured wait; the write is durable anyway. */
  indexed: boolean
}

type Deps = Pick<Bindings, 'catalog' | 'clock'> & { indexer: Indexer; ingestWaitMs: number }

/**
 * Restores soft-deleted Units as they were: readable ones in writable scopes. Unknown, hidden and purged ids, and those
 * whose scope was deleted, are not counted. Errors: 400 if another Unit has taken the external id or the scope has
 * closed the plane, 403 without `write`, 402 above the limits of the tier.
 */
export async function restoreUnits(deps: Deps, session: Session, ids: readonly string[]): Promise<RestoreResult> {
  admit(session, 'restoreUnits')
  const namespaceId = session.namespace.id
  const { embedPending, ...written } = await deps.catalog.transact(namespaceId, (tx) => write(deps, session, tx, ids))
  const applied = await deps.indexer.waitFor(namespaceId, written.seq, deps.ingestWaitMs)
  return { ...written, indexed: applied && !embedPending }
}

async function write({ clock }: Deps, session: Session, tx: NamespaceWriter, ids: readonly string[]) {
  const reached = await tx.units.read({ ...reachOf(session), states: ['live', 'tombstoned'], ids }, maxRestored)
  const deleted = reached.filter((unit) => unit.state === 'tombstoned')
  for (const { plane } of deleted) requirePlane(session, plane)
  const units = await withoutReplaced(session, tx, ids, deleted)
  await requireEnabledPlanes(tx, ids, units)
  refuseDuplicates(ids, units)

  const now = clock.now()
  const unitIds = units.map((unit) => unit.unitId)
  const writers = new Set(units.map((unit) => unit.writer))
  const held = await withinCap(tx, unitIds.length, () => tx.units.restore(unitIds, now))
  await checkDocuments(tx, held, writers, ['ids'])
  const detail = { units: units.length, seq: tx.seq() }
  await tx.audit(auditEntry(session, now, 'units.restore', session.requestedScope, detail))
  return {
    matched: reached.length - deleted.length + units.length,
    restored: units.length,
    seq: tx.seq(),
    embedPending: units.some((unit) => unit.embedPending),
  }
}

/** If the Unit that took the external id is hidden, an error would reveal it: then the deleted one is not counted. */
async function withoutReplaced(
  session: Session,
  tx: NamespaceWriter,
  ids: readonly string[],
  units: readonly StoredUnit[],
): Promise<StoredUnit[]> {
  const replaced = await tx.units.replaced(
    units.map((unit) => unit.unitId),
    reachOf(session),
  )
  const [seen] = replaced.filter((unit) => unit.readable)
  if (seen)
    throw new InvalidInputError(
      ['ids', ids.indexOf(seen.unitId)],
      'cannot be restored: another Unit has its external_id now; delete that one first',
    )
  return units.filter(({ unitId }) => !replaced.some((unit) => unit.unitId === unitId))
}

async function requireEnabledPlanes(tx: NamespaceWriter, ids: readonly string[], units: readonly StoredUnit[]) {
  const scopes = new Map((await tx.scopes.list()).map((scope) => [scope.id, scope]))
  for (const { unitId, scopeId, plane } of units) {
    requireEnabled(scopes.get(scopeId), plane, ['ids', ids.indexOf(unitId)])
  }
}

/** A writer may have deleted and ingested the same external id more than once. */
function refuseDuplicates(ids: readonly string[], units: readonly StoredUnit[]): void {
  const seen = new Set<string>()
  for (const { unitId, scopeId, writer, externalId } of units) {
    if (externalId === null) continue
    const key = JSON.stringify([scopeId, writer, externalId])
    if (seen.has(key))
      throw new InvalidInputError(
        ['ids', ids.indexOf(unitId)],
        'another of these Units has its external_id: restore only one of them',
      )
    seen.add(key)
  }
}
