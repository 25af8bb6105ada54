import { createHash } from 'node:crypto'
import { signalWithin } from '../../async/limits.ts'
import { batchesOf, forEachFew } from '../../async/pieces.ts'
import { vectorsOf } from '../../model/unit.ts'
import type { Embedding, IndexedUnit } from '../../ports/indexes/index-filter.ts'
import type { HeldUnit, WriteAttempt } from '../../ports/indexes/index-sink.ts'
import { type Ask, deleted, isAbsentNamespace, maximum, parallel, upserted, writeWithRetries } from './client.ts'
import { type PlaneIndex, placeOf } from './plane-index.ts'
import { field, fieldsOf, maxVectors, type PineconeRecord, placeholder, recordId, valuesOf } from './records.ts'

export interface Batch {
  puts: readonly IndexedUnit[]
  removals: readonly HeldUnit[]
}

/** What one index must contain of a batch, and what it must delete. */
interface IndexWrite {
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
 *
 * @param idsOf the ids of all records that a Unit may have in an index
 */
export function writesOf(
  indexes: readonly PlaneIndex[],
  { puts, removals }: Batch,
  homeOf: (unit: IndexedUnit) => PlaneIndex,
  idsOf: (unitId: string) => string[],
): IndexWrite[] {
  const records = puts.flatMap((unit) => recordsOf(indexes, unit, homeOf))
  return indexes.map((index) => {
    const own = records.filter((entry) => entry.index === index).map((entry) => entry.record)
    const kept = new Set(own.map(({ id }) => id))
    const mayHold = [...puts, ...removals.filter(({ plane }) => plane === index.plane)]
    const gone = mayHold.flatMap(({ unitId }) => idsOf(unitId)).filter((id) => !kept.has(id))
    return { index, records: own, gone }
  })
}

/** One record for each vector; one for a Unit without vectors, so that it counts as stored. */
function recordsOf(indexes: readonly PlaneIndex[], unit: IndexedUnit, homeOf: (unit: IndexedUnit) => PlaneIndex) {
  const held = [unit.vector, unit.otherVector ?? null].map((embedding) => placed(indexes, unit, embedding))
  const [vector, other] = held.map((entry) => entry?.embedding ?? null)
  const records = held.reduce((sum, entry) => sum + (entry?.values.length ?? 0), 0)
  const isUsual = records === held.filter((entry) => entry !== null).length
  const entries = held.flatMap((entry, i) => {
    if (!entry) return []
    const [own, another] = i === 0 ? [vector, other] : [other, vector]
    const metadata = { ...fieldsOf(unit, own ?? null, another ?? null), ...(!isUsual && { [field.records]: records }) }
    return entry.values.map((values, number) => {
      const id = recordId(unit.unitId, i === 0 ? 'vector' : 'other', number)
      return { index: entry.index, record: { id, values, metadata } }
    })
  })
  if (entries.length > 0) return entries
  const index = homeOf(unit)
  const record = {
    id: recordId(unit.unitId, 'vector'),
    values: placeholder(index.dims),
    metadata: fieldsOf(unit, null, null),
  }
  return [{ index, record }]
}

/** Without vectors that have no direction, which no search could find; null if none is left. */
function placed(indexes: readonly PlaneIndex[], { plane }: IndexedUnit, embedding: Embedding | null) {
  const vectors = embedding ? vectorsOf(embedding).slice(0, maxVectors) : []
  const index = placeOf(indexes, plane, vectors[0]?.length ?? 0)
  const values = index ? vectors.map((vector) => valuesOf(vector, index.dims)).filter((one) => one !== null) : []
  return embedding && index && values.length > 0 ? { embedding, index, values } : null
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

/** How many namespaces are remembered, and for how long: lost writes must be sent again some day. */
const maxNamespaces = 1000
const validMs = 600_000

/**
 * Writes that were acknowledged but not visible in time, by namespace. If the same batch is written again, it is only
 * waited for. Sent again, it would get new sequence numbers, and an index that lags longer than a try would never catch
 * up.
 */
interface Sent {
  find(namespaceId: string, key: string): readonly Written[] | null
  keep(namespaceId: string, key: string, written: readonly Written[]): void
  forget(namespaceId: string): void
}

export function createSent(now: () => number): Sent {
  const kept = new Map<string, { at: number; key: string; written: readonly Written[] }>()
  return {
    find: (namespaceId, key) => {
      const last = kept.get(namespaceId)
      return last?.key === key && now() < last.at + validMs ? last.written : null
    },
    keep: (namespaceId, key, written) => {
      kept.delete(namespaceId)
      kept.set(namespaceId, { at: now(), key, written })
      const [oldest] = kept.keys()
      if (kept.size > maxNamespaces && oldest !== undefined) kept.delete(oldest)
    },
    forget: (namespaceId) => void kept.delete(namespaceId),
  }
}

/** Identifies a batch: a Unit's id and seq determine what is put. */
export function keyOf(identity: string, { puts, removals }: Batch): string {
  const put = puts.map(({ unitId, seq }) => [unitId, seq])
  const removed = removals.map(({ unitId, plane }) => [unitId, plane])
  return createHash('sha256')
    .update(JSON.stringify([identity, put, removed]))
    .digest('base64')
}
