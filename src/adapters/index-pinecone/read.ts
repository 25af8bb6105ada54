import { signalWithin } from '../../async/limits.ts'
import { batchesOf, forEachFew } from '../../async/pieces.ts'
import type { Plane } from '../../model/unit.ts'
import type { HeldUnit } from '../../ports/indexes/index-sink.ts'
import type { Ask } from './client.ts'
import { fetched, isAbsentNamespace, listed, matches, maximum, parallel, retries, withRetries } from './client.ts'
import type { PlaneIndex } from './plane-index.ts'
import { field, firstRecordIds, noModel, placeholder, unitIdOf } from './records.ts'

const requestMs = 10_000
/** The time limit for reading all ids of a namespace. */
const allMs = 600_000

/** A stored record, and how many its Unit has. */
interface HeldRecord {
  seq: number
  of: number
}

type Fields = Record<string, unknown>

function seqOf(fields: Fields): number {
  const seq = fields[field.seq]
  return typeof seq === 'number' ? seq : 0
}

/** The fields of the records that exist, by id. */
async function fetchFields(
  ask: Ask,
  namespaceId: string,
  { host }: PlaneIndex,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Fields>> {
  const found = new Map<string, Fields>()
  await forEachFew(batchesOf(ids, { maxItems: maximum.idsInAddress }), parallel, async (batch) => {
    const answer = await unlessAbsent(() =>
      withRetries(retries.write, signal, () =>
        ask(fetched(namespaceId), signalWithin(requestMs, signal), (pinecone) =>
          pinecone.index({ host, namespace: namespaceId }).fetch({ ids: batch }),
        ),
      ),
    )
    for (const [id, { metadata }] of Object.entries(answer?.body.vectors ?? {})) found.set(id, metadata)
  })
  return found
}

/** The seqs of the records that exist. */
export async function fetchSeqs(
  ask: Ask,
  namespaceId: string,
  index: PlaneIndex,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const found = await fetchFields(ask, namespaceId, index, ids, signal)
  return new Map([...found].map(([id, fields]) => [id, seqOf(fields)]))
}

/** The latest seq of each of the Units that are stored in the given place. */
export async function heldSeqs(
  ask: Ask,
  namespaceId: string,
  indexes: readonly PlaneIndex[],
  units: readonly HeldUnit[],
): Promise<Map<string, number>> {
  const latest = new Map<string, number>()
  for (const index of indexes) {
    const ids = units.filter(({ plane }) => plane === index.plane).flatMap(({ unitId }) => firstRecordIds(unitId))
    const seqs = await fetchSeqs(ask, namespaceId, index, ids, AbortSignal.timeout(allMs))
    for (const [id, seq] of seqs) latest.set(unitIdOf(id), Math.max(seq, latest.get(unitIdOf(id)) ?? 0))
  }
  return latest
}

/**
 * All stored Units of a plane with their seqs. If a Unit's records are incomplete or of different changes, its seq is
 * 0, which no Unit has: so it is written again.
 */
export async function manifestOf(
  ask: Ask,
  namespaceId: string,
  indexes: readonly PlaneIndex[],
  plane: Plane,
): Promise<Map<string, number>> {
  const held = new Map<string, HeldRecord[]>()
  for (const index of indexes.filter((entry) => entry.plane === plane)) {
    await forEachFew(pagesOf(ask, namespaceId, index), parallel, async (ids) => {
      for (const [id, fields] of await fetchFields(ask, namespaceId, index, ids, AbortSignal.timeout(allMs))) {
        const record = { seq: seqOf(fields), of: countOf(fields) }
        held.set(unitIdOf(id), [...(held.get(unitIdOf(id)) ?? []), record])
      }
    })
  }
  return new Map([...held].map(([unitId, records]) => [unitId, seqOfAll(records)]))
}

function seqOfAll(records: readonly HeldRecord[]): number {
  const [first] = records
  return first && records.every(({ seq, of }) => seq === first.seq && of === records.length) ? first.seq : 0
}

function countOf(fields: Fields): number {
  const records = fields[field.records]
  if (typeof records === 'number') return records
  return fields[field.otherModel] === noModel ? 1 : 2
}

/** Whether a Unit in it has several vectors of one model. */
export async function holdsSeveral(
  ask: Ask,
  namespaceId: string,
  { host, dims }: PlaneIndex,
  signal: AbortSignal,
): Promise<boolean> {
  const filter = { [field.records]: { $gte: 2 } }
  const answer = await unlessAbsent(() =>
    withRetries(retries.write, signal, () =>
      ask(matches(namespaceId), signalWithin(requestMs, signal), (pinecone) =>
        pinecone.index({ host, namespace: namespaceId }).query({ topK: 1, vector: placeholder(dims), filter }),
      ),
    ),
  )
  return (answer?.body.matches.length ?? 0) > 0
}

/** The ids of all records of a namespace, a page at a time. */
async function* pagesOf(ask: Ask, namespaceId: string, { host }: PlaneIndex): AsyncGenerator<string[]> {
  const signal = AbortSignal.timeout(allMs)
  let paginationToken: string | undefined
  do {
    const page = await unlessAbsent(() =>
      withRetries(retries.write, signal, () =>
        ask(listed(namespaceId), signalWithin(requestMs, signal), (pinecone) =>
          pinecone
            .index({ host, namespace: namespaceId })
            .listPaginated(paginationToken === undefined ? {} : { paginationToken }),
        ),
      ),
    )
    yield page?.body.vectors.map(({ id }) => id) ?? []
    paginationToken = page?.body.pagination?.next
  } while (paginationToken !== undefined)
}

/** Null if the namespace does not exist: it is empty. */
async function unlessAbsent<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (isAbsentNamespace(error)) return null
    throw error
  }
}
