import type { Session } from '../../model/session.ts'
import type { Bindings } from '../deps.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { parse } from '../input/parse.ts'
import { embedUnits } from './embed-units.ts'
import { placeUnits } from './place-units.ts'
import { ingestInput } from './unit-input.ts'
import { type IngestedUnit, type IngestStatus, writeBatch } from './write-batch.ts'

export interface IngestResult {
  units: IngestedUnit[]
  counts: Record<IngestStatus, number>
  seq: number
  /** False when indexing had not caught up within the configured wait; the write is durable all the same. */
  indexed: boolean
}

type Deps = Pick<Bindings, 'catalog' | 'inference' | 'clock' | 'random' | 'log'> & {
  indexer: Indexer
  ingestWaitMs: number
  inferenceTimeoutMs: number
}

/**
 * Writes a batch, all or nothing, durable before it returns.
 * Errors: 400 naming the Unit and field, 403 for a scope without `write`, 402 beyond the tier.
 */
export async function ingest(deps: Deps, session: Session, input: unknown): Promise<IngestResult> {
  const placed = placeUnits(session, parse(ingestInput, input).units)
  const units = await embedUnits(deps, session.namespace.id, placed)
  const { seq, results, embedPending, changes } = await deps.catalog.transact(session.namespace.id, (tx) =>
    writeBatch(deps, session, tx, units),
  )
  if (changes) deps.indexer.offer(session.namespace.id, changes)
  const applied = await deps.indexer.waitFor(session.namespace.id, seq, deps.ingestWaitMs)
  const count = (status: IngestStatus) => results.filter((r) => r.status === status).length
  const counts = { created: count('created'), updated: count('updated'), unchanged: count('unchanged') }
  return { units: results, counts, seq, indexed: applied && !embedPending }
}
