import { z } from 'zod'
import { pauseAfter } from '../../async/backoff.ts'
import { signalWithin } from '../../async/limits.ts'
import { allEnded } from '../../async/pieces.ts'
import { type Plane, planes } from '../../model/unit.ts'
import type { Random } from '../../ports/clock.ts'
import type { IndexSink, Unfed, WriteAttempt } from '../../ports/indexes/index-sink.ts'
import type { VectorIndex } from '../../ports/indexes/vector-index.ts'
import { createBreaker } from '../resilience/breaker.ts'
import { isFailure } from '../resilience/remote-error.ts'
import { type Ask, createClient, failure, matches, type PineconeConfig, pause, retries, withRetries } from './client.ts'
import { createDirectory, type Known } from './directory.ts'
import { drop, dropIfEmpty } from './drop.ts'
import { indexName, type PlaneIndex, placeOf, placesOf, rungOf } from './plane-index.ts'
import { fetchSeqs, heldSeqs, holdsSeveral, manifestOf } from './read.ts'
import { field, firstRecordIds, isExact, placeholder, recordIds } from './records.ts'
import { searchIndexes } from './search.ts'
import { type Batch, createSent, keyOf, send, type Written, writesOf } from './write.ts'

/**
 * Opens at the first failure: a search makes several requests in sequence, and may wait only once for an engine that
 * hangs. A refusal concerns one request and says nothing about Pinecone.
 */
const breaking = {
  weights: { timeout: 1, unreachable: 1, busy: 1, broken: 1, malformed: 1 },
  threshold: 1,
  pauseMs: { first: 500, max: 10_000 },
}

/** The timeout of a search, for all its requests together. */
const searchMs = 2000
const refreshMs = 15_000

export interface PineconeIndexOptions extends PineconeConfig {
  /** The size of each plane's configured vectors. */
  dims: (plane: Plane) => number
  random: Pick<Random, 'base62'>
  /** The interval at which the indexes are checked for changes. */
  refreshMs?: number
}

/**
 * Vectors in Pinecone: an index for each plane and vector size, with one Pinecone namespace per namespace. It makes no
 * request before first use, so that a service starts without Pinecone.
 */
export function createPineconeIndex(options: PineconeIndexOptions): Unfed<VectorIndex> {
  const { prefix, dims } = options
  const ask = createClient(options)
  const directory = createDirectory(ask, { refreshMs, ...options })
  const sent = createSent(() => performance.now())
  const breaker = createBreaker({ ...breaking, fail: failure, now: () => performance.now() })

  /** Runs the work; if an index is missing, looks the indexes up again. */
  async function watching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (isFailure(error, 'absent', 'unreachable')) directory.invalidate()
      throw error
    }
  }

  /** Namespaces with Units of several vectors, as far as this process has sent them: reads may not see them yet. */
  const several = new Set<string>()
  /** Whether Units may have more than their first records: to delete what nobody has takes twenty times the requests. */
  async function maySeveral(
    indexes: readonly PlaneIndex[],
    namespaceId: string,
    { puts }: Batch,
    attempt: WriteAttempt,
  ) {
    if (puts.some(({ vector, otherVector }) => [vector, otherVector].some((one) => (one?.count ?? 1) > 1)))
      several.add(namespaceId)
    if (several.has(namespaceId) || attempt.again) return true
    const held = await Promise.all(indexes.map((index) => holdsSeveral(ask, namespaceId, index, attempt.signal)))
    return held.includes(true)
  }

  const sink: IndexSink = {
    identity: async () => (await directory.known()).identity,

    write: (namespaceId, batch, attempt) =>
      watching(async () => {
        const { signal } = attempt
        const { indexes: known, identity } = await directory.fresh()
        let indexes = known
        const vectors = batch.puts.flatMap(({ plane, vector, otherVector }) =>
          [vector, otherVector].flatMap((one) => (one ? [{ plane, size: one.values.length / (one.count ?? 1) }] : [])),
        )
        for (const { plane, size } of vectors) {
          if (placeOf(indexes, plane, size)) continue
          indexes = (await directory.with(plane, rungOf(size), signal)).indexes
        }
        const key = keyOf(identity, batch)
        let written = attempt.again ? null : sent.find(namespaceId, key)
        if (written === null) {
          sent.forget(namespaceId)
          const idsOf = (await maySeveral(indexes, namespaceId, batch, attempt)) ? recordIds : firstRecordIds
          const writes = writesOf(indexes, batch, ({ plane }) => homeOf(indexes, plane), idsOf)
          const all = await allEnded(writes.map((write) => send(ask, namespaceId, write, attempt)))
          written = all.filter((one) => one !== null)
          sent.keep(namespaceId, key, written)
        }
        await Promise.all(written.map((one) => untilVisible(ask, namespaceId, one, signal)))
        sent.forget(namespaceId)
        if (batch.puts.length > 0) return
        await allEnded(written.map(({ index }) => dropIfEmpty(ask, namespaceId, index, attempt)))
      }),

    held: (namespaceId, units) =>
      watching(async () => heldSeqs(ask, namespaceId, (await directory.known()).indexes, units)),
    manifest: (namespaceId, plane) =>
      watching(async () => manifestOf(ask, namespaceId, (await directory.known()).indexes, plane)),
    drop: (namespaceId, attempt) =>
      watching(async () => {
        sent.forget(namespaceId)
        await drop(ask, namespaceId, (await directory.fresh()).indexes, attempt)
      }),
  }

  const homeOf = (indexes: Parameters<typeof placeOf>[0], plane: Plane) => {
    const home = placeOf(indexes, plane, dims(plane))
    if (!home) throw failure('absent', `has no index for the plane ${plane}`)
    return home
  }

  return {
    engine: 'pinecone',
    isExact,
    nameOf: (plane) => `pinecone:${indexName(prefix, plane, dims(plane))}`,
    search: (query, filter, limit) => {
      const hasScopes = filter.clauses.some(({ scopeIds }) => (scopeIds.get(query.plane) ?? []).length > 0)
      if (limit <= 0 || !hasScopes) return Promise.resolve([])
      return breaker.run(() =>
        watching(async () => {
          const placesIn = ({ indexes }: Known) => placesOf(indexes, query.plane, query.vector.length)
          const known = placesIn(await directory.known())
          // If there is no index for such vectors, another process may have just made one.
          const places = known.length > 0 ? known : placesIn(await directory.fresh())
          return searchIndexes(ask, places, query, filter, limit, signalWithin(searchMs))
        }),
      )
    },
    ping: createPing(ask, async () => {
      try {
        const { indexes } = await directory.known()
        return planes.map((plane) => homeOf(indexes, plane))
      } catch (error) {
        // Not down: there are no indexes yet.
        if (directory.isMaking()) return []
        throw error
      }
    }),
    sink,
  }
}

const requestMs = 5000
const pollMs = { first: 20, max: 500, factor: 1.5 }

/**
 * Resolves when reads of the namespace see the written data. Pinecone acknowledges a write earlier and numbers the
 * writes of a namespace; each query reports the last number that it sees
 * (https://docs.pinecone.io/guides/index-data/check-data-freshness).
 */
async function untilVisible(ask: Ask, namespaceId: string, written: Written, signal: AbortSignal): Promise<void> {
  const isVisible = () => (written.lsn === null ? shows(written) : reaches(written.index, written.lsn))
  for (let looks = 0; ; looks += 1) {
    if (await withRetries(retries.write, signal, isVisible)) return
    await pause(pauseAfter(pollMs, looks), signal)
  }

  async function reaches({ host, dims }: PlaneIndex, lsn: number): Promise<boolean> {
    const { indexedLsn } = await ask(matches(namespaceId), signalWithin(requestMs, signal), (pinecone) =>
      pinecone.index({ host, namespace: namespaceId }).query({ topK: 1, vector: placeholder(dims), filter: noRecord }),
    )
    return indexedLsn !== null && indexedLsn >= lsn
  }

  /** If no numbers are reported: whether the last put records are visible, and the last deleted ones are not. */
  async function shows({ index, put, gone }: Written): Promise<boolean> {
    const seqs = await fetchSeqs(ask, namespaceId, index, [...put.keys(), ...gone], signal)
    return [...put].every(([id, seq]) => seqs.get(id) === seq) && gone.every((id) => !seqs.has(id))
  }
}

/** The query matches nothing: only its log sequence number is needed. */
const noRecord = { [field.seq]: { $eq: -1 } }

const timeoutMs = 1500
/** Anyone may call the health endpoint: Pinecone is called at most once in this time. */
const validMs = 1000

const answer = z.object({ namespaces: z.array(z.object({ name: z.string() })).default([]) })

/** Requests the name of one namespace from each index. */
function createPing(ask: Ask, indexes: () => Promise<readonly PlaneIndex[]>): () => Promise<void> {
  let last: { at: number; outcome: Promise<void> } | null = null
  const ping = async () => {
    const pings = (await indexes()).map(({ host }) =>
      ask(answer, signalWithin(timeoutMs), (pinecone) => pinecone.index({ host }).listNamespaces({ limit: 1 })),
    )
    await Promise.all(pings)
  }
  return () => {
    if (last === null || performance.now() >= last.at + validMs) last = { at: performance.now(), outcome: ping() }
    return last.outcome
  }
}
