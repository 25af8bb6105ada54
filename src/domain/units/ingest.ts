import { scopeHeader } from '../../model/brand.ts'
import type { Session } from '../../model/session.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { parseItems } from '../input/parse.ts'
import { begun, type Turns, weightOfBatch } from '../turns/turns.ts'
import { embedUnits } from './embed-units.ts'
import { placeUnits } from './place-units.ts'
import { type IngestInput, unitInput } from './unit-input.ts'
import { type IngestedUnit, type IngestStatus, writeBatch } from './write-batch.ts'

export interface IngestResult {
  units: IngestedUnit[]
  counts: Record<IngestStatus, number>
  seq: number
  /** False when indexing did not catch up within the configured wait; the write is durable anyway. */
  indexed: boolean
}

type Deps = Pick<Bindings, 'catalog' | 'inference' | 'clock' | 'random' | 'log' | 'telemetry'> & {
  brand: string
  indexer: Indexer
  turns: Turns
  ingestWaitMs: number
  inferenceTimeoutMs: number
  /** What has no vector yet gets it in the background. */
  embedSoon(): void
}

/**
 * Writes a batch, all or nothing, durable before it returns. A principal's next batch is written while the indexes take this
 * one, but not the one after that: it would only wait in memory. Errors: 400 with the Unit and field, 403 for a scope without
 * `write`, 402 above the limits of the tier.
 */
export async function ingest(deps: Deps, session: Session, input: IngestInput): Promise<IngestResult> {
  const { writing, indexing } = deps.turns
  const weight = weightOfBatch(input)
  const indexed = await writing(session, weight, async () => {
    const written = await write(deps, session, input)
    return begun(indexing, session, weight, () => whenIndexed(deps, session, written))
  })
  return indexed.result
}

type Written = Pick<IngestResult, 'units' | 'seq'> & { embedPending: boolean }

async function write(deps: Deps, session: Session, input: IngestInput): Promise<Written> {
  const units = await parseItems(unitInput, input.units, ['units'])
  const placed = placeUnits(session, units, scopeHeader(deps.brand))
  const embedded = await embedUnits(deps, session.namespace.id, placed)
  const { seq, results, embedPending, changes } = await deps.catalog.transact(
    session.namespace.id,
    (tx) => writeBatch(deps, session, tx, embedded),
    // The index reads the changes back.
    { kept: (written) => ({ ...written, changes: null }) },
  )
  for (const { plane, status } of results) {
    // The catalog reports what it has written.
    if (status === 'unchanged') deps.telemetry.unitsWritten(plane, status, 1)
  }
  if (changes) deps.indexer.offer(session.namespace.id, changes)
  return { units: results, seq, embedPending }
}

async function whenIndexed(deps: Deps, session: Session, { units, seq, embedPending }: Written): Promise<IngestResult> {
  if (embedPending) deps.embedSoon()
  const applied = await deps.indexer.waitFor(session.namespace.id, seq, deps.ingestWaitMs)
  return { units, counts: countStatuses(units), seq, indexed: applied && !embedPending }
}

export function countStatuses(results: readonly IngestedUnit[]): IngestResult['counts'] {
  const count = (status: IngestStatus) => results.filter((r) => r.status === status).length
  return { created: count('created'), updated: count('updated'), unchanged: count('unchanged') }
}
