import { z } from 'zod'
import { pauseAfter } from '../../async/backoff.ts'
import { signalWithin } from '../../async/limits.ts'
import { type Plane, planes } from '../../model/unit.ts'
import type { Random } from '../../ports/clock.ts'
import { isFailure } from '../resilience/remote-error.ts'
import { type Ask, failure, type PineconeConfig, pause, retries, timedOut, withRetries } from './client.ts'
import { indexList, indexName, ownIndexes, type PlaneIndex, tag, vectorField } from './plane-index.ts'

export interface Known {
  indexes: readonly PlaneIndex[]
  identity: string
}

/** The existing indexes. */
interface Directory {
  /** The last known state. Makes the indexes of the configured sizes at first. Throws after a timeout. */
  known(): Promise<Known>
  /** A recent state, or the last known one if Pinecone does not answer. */
  fresh(): Promise<Known>
  /** The same, including an index of that size. */
  with(plane: Plane, dims: number, signal: AbortSignal): Promise<Known>
  /** Whether Pinecone answers and still makes the indexes of the configured sizes for the first time. */
  isMaking(): boolean
  /** The indexes may have changed: look them up again soon. */
  invalidate(): void
}

interface Options extends Pick<PineconeConfig, 'prefix' | 'cloud' | 'region'> {
  /** The size of each plane's initial index. */
  dims: (plane: Plane) => number
  random: Pick<Random, 'base62'>
  /** How long a look-up stays valid. */
  refreshMs: number
}

/** How long a caller waits for the control plane; the work continues. */
const timeoutMs = 1000
const requestMs = 5000
/** Another process may have made an index since. After this time at most, this process writes to it too. */
const momentMs = 2000
/** Pinecone makes an index within seconds. */
const readyWithinMs = 60_000
const pollMs = { first: 50, max: 1000 }
/** If Pinecone has not answered for this long, it is down, even if it was making something. */
const silentMs = 5000
/** The pause after a failed look-up. */
const againAfterMs = 500

export function createDirectory(ask: Ask, options: Options): Directory {
  const { prefix, cloud, region, dims, random, refreshMs } = options
  const wanted = new Map(planes.map((plane) => [indexName(prefix, plane, dims(plane)), { plane, dims: dims(plane) }]))
  let current: Known | null = null
  let lookUpAt = Number.NEGATIVE_INFINITY
  let toldAt = Number.NEGATIVE_INFINITY
  let answeredAt = Number.NEGATIVE_INFINITY
  let makingSince: number | null = null
  let running: { since: number; found: Promise<Known> } | null = null

  async function list(): Promise<PlaneIndex[]> {
    const listed = await withRetries(retries.write, signalWithin(3 * requestMs), () =>
      ask(indexList, signalWithin(requestMs), (pinecone) => pinecone.listIndexes()),
    )
    answeredAt = performance.now()
    return ownIndexes(prefix, listed.body)
  }

  async function make(name: string, size: number): Promise<void> {
    try {
      await ask(z.unknown(), signalWithin(requestMs), (pinecone) =>
        pinecone.createIndex({
          name,
          schema: { fields: { [vectorField]: { type: 'dense_vector', dimension: size, metric: 'cosine' } } },
          deployment: { deploymentType: 'managed', cloud, region },
          tags: { [tag.made]: random.base62(16) },
        }),
      )
    } catch (error) {
      // Another process was faster.
      if (!isFailure(error, 'conflict')) throw error
    }
    answeredAt = performance.now()
  }

  const addTags = (name: string, tags: Record<string, string>) =>
    ask(z.unknown(), signalWithin(requestMs), (pinecone) => pinecone.indexes.configure(name, { tags }))

  /** Makes missing indexes and tags, one step per call. True when all exist, are ready and tagged. */
  async function isSettled(indexes: readonly PlaneIndex[]): Promise<boolean> {
    const missing = [...wanted].filter(([name]) => !indexes.some((index) => index.name === name))
    if (current === null) makingSince ??= performance.now()
    for (const [name, { dims: size }] of missing) await make(name, size)
    if (missing.length > 0 || indexes.some(({ name, ready }) => !ready && wanted.has(name))) return false
    const unmarked = indexes.filter((index) => !(tag.made in index.tags))
    for (const { name, tags } of unmarked) await addTags(name, { ...tags, [tag.made]: random.base62(16) })
    if (unmarked.length > 0) return false
    const register = registerOf(indexes)
    const first = indexes.find(({ name }) => name === indexName(prefix, 'text', dims('text')))
    if (!register && first) await addTags(first.name, { ...first.tags, [tag.register]: 'of the others' })
    if (!register) return false
    const entries = unregistered(register, indexes)
    if (Object.keys(entries).length === 0) return true
    await addTags(register.name, { ...register.tags, ...entries })
    return false
  }

  async function lookUp(): Promise<Known> {
    const end = performance.now() + readyWithinMs
    for (let looks = 0; ; looks += 1) {
      const indexes = await list()
      const register = registerOf(indexes)
      if ((await isSettled(indexes)) && register) return { indexes, identity: identityOf(register, indexes) }
      if (performance.now() >= end) throw failure('timeout', 'did not make its indexes ready in time')
      await pause(pauseAfter(pollMs, looks), signalWithin(readyWithinMs))
    }
  }

  const settle = (found: Known): Known => {
    current = found
    toldAt = performance.now()
    lookUpAt = toldAt + refreshMs
    running = null
    return found
  }
  const fail = (error: unknown): never => {
    lookUpAt = performance.now() + againAfterMs
    running = null
    throw error
  }

  /** One look-up at a time, shared by all callers. */
  function refresh(): Promise<Known> {
    running ??= { since: performance.now(), found: lookUp().then(settle, fail) }
    return running.found
  }

  async function known(): Promise<Known> {
    const isDue = performance.now() >= lookUpAt
    if (current) {
      if (isDue) refresh().catch(() => {})
      return current
    }
    // Does not wait for a look-up that just failed or already takes long.
    if (running ? performance.now() - running.since > timeoutMs : !isDue) {
      throw failure('paused', 'has not told its indexes yet')
    }
    return withTimeout(refresh(), signalWithin(timeoutMs))
  }

  return {
    known,
    fresh: async () => {
      const found = await known()
      if (performance.now() < toldAt + momentMs) return found
      return withTimeout(refresh(), signalWithin(timeoutMs)).catch(() => found)
    },
    with: async (plane, size, signal) => {
      const name = indexName(prefix, plane, size)
      const isThere = ({ indexes }: Known) => indexes.some((index) => index.name === name)
      wanted.set(name, { plane, dims: size })
      try {
        // A look-up that was already running may not include this index.
        let found = await withTimeout(refresh(), signal)
        if (!isThere(found)) found = await withTimeout(refresh(), signal)
        if (isThere(found)) return found
        throw failure('absent', `has no index ${name}`)
      } catch (error) {
        // An index that can't be made must not block look-ups of the others.
        wanted.delete(name)
        throw error
      }
    },
    isMaking: () => {
      if (current !== null || makingSince === null) return false
      const now = performance.now()
      return now < makingSince + readyWithinMs && now < answeredAt + silentMs
    },
    invalidate: () => {
      lookUpAt = Number.NEGATIVE_INFINITY
    },
  }
}

function withTimeout<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(timedOut())
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

/** Pinecone's limit of tags per index. */
const maxTags = 20

/** The index that lists the others; if two are marked, the first by name. */
const registerOf = (indexes: readonly PlaneIndex[]): PlaneIndex | undefined =>
  indexes.filter((index) => tag.register in index.tags).sort((a, b) => (a.name < b.name ? -1 : 1))[0]

/** Other tags belong to someone else. */
const isEntry = (key: string) => planes.some((plane) => key.startsWith(`${plane}-`)) && /-\d{1,5}$/u.test(key)
const entryOf = ({ plane, dims }: PlaneIndex) => `${plane}-${dims}`

/** Entries that the register lacks: indexes made since. */
function unregistered(register: PlaneIndex, indexes: readonly PlaneIndex[]): Record<string, string> {
  const room = Math.max(0, maxTags - Object.keys(register.tags).length)
  const missing = indexes.filter((index) => index.name !== register.name && !(entryOf(index) in register.tags))
  return Object.fromEntries(missing.slice(0, room).map((index) => [entryOf(index), index.tags[tag.made] ?? '']))
}

/**
 * An identity of all indexes together. It changes when one of them was deleted or made again: cursors are then invalid.
 * A new index for a new vector size does not change it.
 */
function identityOf(register: PlaneIndex, indexes: readonly PlaneIndex[]): string {
  const made = new Map(indexes.map((index) => [entryOf(index), index.tags[tag.made] ?? '']))
  const changed = Object.entries(register.tags)
    .filter(([key, first]) => isEntry(key) && made.get(key) !== first)
    .map(([entry]) => `${entry}=${made.get(entry) ?? 'gone'}`)
  return ['pinecone', register.name, register.tags[tag.made], ...changed.sort()].join(':')
}
