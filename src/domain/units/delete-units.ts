import { forbidden } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import { covers, type ScopePattern } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { NamespaceWriter, UnitReach, UnitSelection } from '../../ports/catalog.ts'
import { admit, requireBelow } from '../access/gate.ts'
import { clausesOver } from '../access/visibility.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { label, parseItems } from '../input/parse.ts'
import { purgeNow } from '../sources/purge-sources.ts'
import type { DeleteInput } from './delete-input.ts'

/** The Units that the caller may change: readable ones in writable scopes, at or below `within`. */
export function reachOf(session: Session, within: ScopePattern = '*'): UnitReach {
  const scopes = session.scopesInReach('write').filter((s) => session.may('read', s.scope) && covers(within, s.scope))
  return { clauses: clausesOver(session, scopes), planes: session.keyPlanes }
}

/**
 * Removes readable Units in writable scopes. An id is a Unit's `unit_id`, otherwise the external id of a Unit that the
 * caller ingested. Unknown and hidden ids are not counted.
 */
export async function deleteUnits(deps: RemoveDeps, session: Session, input: DeleteInput): Promise<DeleteResult> {
  const { ids: sent, filter, hard } = input
  const ids = sent && (await parseItems(label(), sent, ['ids']))
  admit(session, 'deleteUnits')
  const { scope, filter: conditions = [] } = filter ?? {}
  if (scope) requireWithin(session, scope)
  const reach: UnitSelection = {
    ...reachOf(session, scope ?? '*'),
    filter: conditions,
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

/** 403 for a scope that is not within the requested one, or without a writable scope. */
export function requireWithin(session: Session, scope: string): void {
  if (!covers(session.requestedScope, scope))
    throw forbidden(`scope ${scope} must be within the requested scope ${session.requestedScope}`)
  requireBelow(session, 'write', scope)
}

export interface DeleteResult {
  matched: number
  tombstoned: number
  purged: number
  /** Uploaded sources whose bytes are gone; sources that the store has not removed yet are not counted. */
  sourcesPurged: number
  seq: number
}

export type RemoveDeps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & {
  indexer: Indexer
  purging: BackgroundWork
}

/** Units per transaction: the head row must not be locked for long. */
const batchSize = 1000

/** Sources whose purge was requested in a transaction at this time. */
export interface RequestedPurge {
  sources: number
  time: number
}

/** Removes the Units of a selection, batch by batch. `requested` is what this deletion has had purged already. */
export async function removeUnits(
  deps: RemoveDeps,
  session: Session,
  selection: UnitSelection,
  { hard, requested }: { hard: boolean; requested?: RequestedPurge },
): Promise<DeleteResult> {
  const result: DeleteResult = {
    matched: 0,
    tombstoned: 0,
    purged: 0,
    sourcesPurged: requested?.sources ?? 0,
    seq: 0,
  }
  const times = requested ? [requested.time] : []
  const deletion = deps.random.id('deletion')
  for (;;) {
    const batch = await deps.catalog.transact(session.namespace.id, (tx) =>
      removeBatch(deps, session, tx, selection, { hard, deletion }),
    )
    result.matched += batch.matched
    result.tombstoned += hard ? 0 : batch.matched
    result.purged += hard ? batch.matched : 0
    result.sourcesPurged += batch.sources
    result.seq = batch.seq
    times.push(batch.time)
    if (batch.matched < batchSize) break
  }
  if (result.sourcesPurged > 0) {
    await purgeNow(deps.purging)
    const batches = times.map((time) => ({ time, units: 0, seq: 0 }))
    const { sources } = await deps.catalog.changes.unerased(session.namespace.id, batches)
    result.sourcesPurged = Math.max(0, result.sourcesPurged - sources)
  }
  deps.indexer.notify(session.namespace.id, result.seq)
  return result
}

interface Deletion {
  hard: boolean
  /** The id that all audit rows of this deletion share. */
  deletion: string
}

async function removeBatch(
  deps: RemoveDeps,
  session: Session,
  tx: NamespaceWriter,
  selection: UnitSelection,
  { hard, deletion }: Deletion,
) {
  const now = deps.clock.now()
  const ids = await tx.units.select(selection, batchSize)
  const removal = ids.length === 0 ? { sources: [] } : await tx.units[hard ? 'purge' : 'tombstone'](ids, now)
  await tx.audit(
    auditEntry(session, now, 'units.delete', session.requestedScope, {
      deletion,
      hard,
      units: ids.length,
      sources: removal.sources.length,
      seq: tx.seq(),
    }),
  )
  return { matched: ids.length, sources: removal.sources.length, seq: tx.seq(), time: now }
}
