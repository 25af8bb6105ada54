import type { Embedding, IndexedUnit } from '../../ports/index-filter.ts'
import type { HeldUnit, WriteAttempt } from '../../ports/index-sink.ts'
import { batchesOf, forEachFew } from '../resilience/batches.ts'
import { signalWithin } from '../resilience/deadline.ts'
import type { Ask } from './client/client.ts'
import { isAbsentNamespace } from './client/failure.ts'
import { writeWithRetries } from './client/retries.ts'
import { deleted, upserted } from './client/shapes.ts'
import { placeOf } from './indexes/places.ts'
import type { PlaneIndex } from './indexes/plane-index.ts'
import { maximum, parallel } from './limits.ts'
import { recordId, recordIds } from './records/ids.ts'
import { field, fieldsOf, type PineconeRecord } from './records/record.ts'
import { placeholder, valuesOf } from './records/values.ts'

export interface Batch {
  puts: readonly IndexedUnit[]
  removals: readonly HeldUnit[]
}

/** What one index is to hold of a batch, and what it is to hold no longer. */
export interface IndexWrite {
  index: PlaneIndex
  records: PineconeRecord[]
  gone: string[]
}

/** What an index acknowledged, by which can be told whether reads see it. */
export interface Written {
  index: PlaneIndex
  /** The latest of the log sequence numbers that its requests were given; null when it tells none. */
  lsn: number | null
  /** The last of the records that were put, with their seqs, and the last of those that were deleted. */
  put: ReadonlyMap<string, number>
  gone: readonly string[]
}

const requestMs = 6000

/**
 * What is to be written where. What was held of a Unit that is put may be anywhere: its plane may have changed, or the size
 * of its vector. So each index that gets no record of it is told to delete what it has. A removal is about one plane: what
 * another one holds of the Unit may be as it should be.
 */
export function writesOf(
  indexes: readonly PlaneIndex[],
  { puts, removals }: Batch,
  homeOf: (unit: IndexedUnit) => PlaneIndex,
): IndexWrite[] {
  const records = puts.flatMap((unit) => recordsOf(indexes, unit, homeOf))
  return indexes.map((index) => {
    const own = records.filter((entry) => entry.index === index).map((entry) => entry.record)
    const kept = new Set(own.map(({ id }) => id))
    const mayHold = [...puts, ...removals.filter(({ plane }) => plane === index.plane)]
    const gone = mayHold.flatMap(({ unitId }) => recordIds(unitId)).filter((id) => !kept.has(id))
    return { index, records: own, gone }
  })
}

/** One record for each vector; one for a Unit that has none, so that it is known to be held. */
function recordsOf(indexes: readonly PlaneIndex[], unit: IndexedUnit, homeOf: (unit: IndexedUnit) => PlaneIndex) {
  const held = [unit.vector, unit.otherVector ?? null].map((embedding) => placed(indexes, unit, embedding))
  const [vector, other] = held.map((entry) => entry?.embedding ?? null)
  const made = held.flatMap((entry, i) => {
    if (!entry) return []
    const [own, another] = i === 0 ? [vector, other] : [other, vector]
    const id = recordId(unit.unitId, i === 0 ? 'vector' : 'other')
    const metadata = fieldsOf(unit, own ?? null, another ?? null)
    return [{ index: entry.index, record: { id, values: entry.values, metadata } }]
  })
  if (made.length > 0) return made
  const index = homeOf(unit)
  const record = {
    id: recordId(unit.unitId, 'vector'),
    values: placeholder(index.dims),
    metadata: fieldsOf(unit, null, null),
  }
  return [{ index, record }]
}

/** Null for a vector that has no direction: no search could find it. */
function placed(indexes: readonly PlaneIndex[], { plane }: IndexedUnit, embedding: Embedding | null) {
  const index = embedding && placeOf(indexes, plane, embedding.values.length)
  const values = index && valuesOf(embedding.values, index.dims)
  return index && values ? { embedding, index, values } : null
}

/** Sends it, in requests within Pinecone's limits; null when there was nothing to do. The same again changes nothing. */
export async function send(
  ask: Ask,
  namespaceId: string,
  write: IndexWrite,
  sending: WriteAttempt,
): Promise<Written | null> {
  const { index, records, gone } = write
  let acknowledged = 0
  let latest: number | null = null
  const attempt = async (request: (once: AbortSignal) => ReturnType<Ask>) => {
    const { lsn } = await writeWithRetries(sending, () => request(signalWithin(requestMs, sending.signal)))
    acknowledged += 1
    if (lsn !== null) latest = Math.max(latest ?? 0, lsn)
  }
  await forEachFew(batchesOf(records, limits), parallel, (batch) =>
    attempt((once) =>
      ask(upserted(batch.length), once, (pinecone) =>
        pinecone.index({ host: index.host, namespace: namespaceId }).upsert({ records: batch }),
      ),
    ),
  )
  await forEachFew(batchesOf(gone, { maxItems: maximum.records }), parallel, (ids) =>
    attempt((once) =>
      ask(deleted, once, (pinecone) =>
        pinecone.index({ host: index.host, namespace: namespaceId }).deleteMany({ ids }),
      ),
    ).catch((error) => {
      // Where nothing was ever written there is nothing to delete.
      if (!isAbsentNamespace(error)) throw error
    }),
  )
  if (acknowledged === 0) return null
  const put = new Map(records.slice(-maximum.idsInAddress).map(({ id, metadata }) => [id, Number(metadata[field.seq])]))
  return { index, lsn: latest, put, gone: gone.slice(-maximum.idsInAddress) }
}

const bytesOf = (record: PineconeRecord) => Buffer.byteLength(JSON.stringify(record)) + 1

const limits = {
  maxItems: maximum.records,
  maxSize: maximum.bytes,
  sizeWith: (record: PineconeRecord, before: number) => before + bytesOf(record),
}
