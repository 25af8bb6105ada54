import { batchesOf, forEachFew } from '../../async/batches.ts'
import { signalWithin } from '../../async/deadline.ts'
import type { Embedding, IndexedUnit } from '../../ports/indexes/index-filter.ts'
import type { HeldUnit, WriteAttempt } from '../../ports/indexes/index-sink.ts'
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

/** What one index must contain of a batch, and what it must delete. */
export interface IndexWrite {
  index: PlaneIndex
  records: PineconeRecord[]
  gone: string[]
}

/** What an index acknowledged; shows whether reads see it. */
export interface Written {
  index: PlaneIndex
  /** The latest log sequence number of its requests; null if it reports none. */
  lsn: number | null
  /** The last records that were put, with their seqs, and the last ones that were deleted. */
  put: ReadonlyMap<string, number>
  gone: readonly string[]
}

const requestMs = 6000

/**
 * Which index gets which records. Older records of a put Unit may be anywhere, because its plane or vector size may
 * have changed. So each index that gets no record of it deletes its records of that Unit. A removal concerns one plane:
 * records of the Unit in another plane may be valid.
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

/** One record for each vector; one for a Unit without vectors, so that it counts as stored. */
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

/** Null for a vector without a direction: no search could find it. */
function placed(indexes: readonly PlaneIndex[], { plane }: IndexedUnit, embedding: Embedding | null) {
  const index = embedding && placeOf(indexes, plane, embedding.values.length)
  const values = index && valuesOf(embedding.values, index.dims)
  return index && values ? { embedding, index, values } : null
}

/** Sends it, in requests within Pinecone's limits; null if there was nothing to do. Idempotent. */
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
      // If the namespace does not exist, there is nothing to delete.
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
