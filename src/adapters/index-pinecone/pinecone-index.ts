import { allEnded } from '../../async/batches.ts'
import { signalWithin } from '../../async/deadline.ts'
import type { Plane } from '../../model/unit.ts'
import { planes } from '../../model/unit.ts'
import type { Random } from '../../ports/clock.ts'
import type { IndexSink, Unfed } from '../../ports/indexes/index-sink.ts'
import type { VectorIndex } from '../../ports/indexes/vector-index.ts'
import { createBreaker } from '../resilience/breaker.ts'
import { isFailure } from '../resilience/remote-error.ts'
import { createClient } from './client/client.ts'
import { failure } from './client/failure.ts'
import type { PineconeConfig } from './client/pinecone-config.ts'
import { drop, dropIfEmpty } from './drop.ts'
import { createDirectory, type Known } from './indexes/directory.ts'
import { indexName, rungOf } from './indexes/names.ts'
import { placeOf, placesOf } from './indexes/places.ts'
import { createPing } from './ping.ts'
import { heldSeqs, manifestOf } from './read.ts'
import { searchIndexes } from './search.ts'
import { createSent, keyOf } from './sent.ts'
import { untilVisible } from './visible.ts'
import { send, writesOf } from './write.ts'

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

  const sink: IndexSink = {
    identity: async () => (await directory.known()).identity,

    write: (namespaceId, batch, attempt) =>
      watching(async () => {
        const { signal } = attempt
        const { indexes: known, identity } = await directory.fresh()
        let indexes = known
        const vectors = batch.puts.flatMap(({ plane, vector, otherVector }) =>
          [vector, otherVector].flatMap((embedding) => (embedding ? [{ plane, size: embedding.values.length }] : [])),
        )
        for (const { plane, size } of vectors) {
          if (placeOf(indexes, plane, size)) continue
          indexes = (await directory.with(plane, rungOf(size), signal)).indexes
        }
        const key = keyOf(identity, batch)
        let written = attempt.again ? null : sent.find(namespaceId, key)
        if (written === null) {
          sent.forget(namespaceId)
          const writes = writesOf(indexes, batch, ({ plane }) => homeOf(indexes, plane))
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
