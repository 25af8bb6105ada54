import { setTimeout as sleep } from 'node:timers/promises'
import { pauseAfter } from '../../async/backoff.ts'
import { badRequest, ServiceError } from '../../errors.ts'
import type { IndexFeed } from '../../ports/indexes/index-filter.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type ChangeBatch, createFeeder, RecentChanges } from './feeder.ts'

export type Indexer = ReturnType<typeof createIndexer>

/** How long a search waits for changes of Units that indexes of this process hold: usually they take a few ms. */
const momentMs = 100

/** How long a search waits for a rebuild. */
const timeoutMs = 60_000

/** How often to read the cursor of an index: for an index in this process that is cheap. */
const pollMs = { local: 10, shared: 50 }

/** The feeds of both indexes; only one if they share it. */
export const feedsOf = ({ vectors, texts }: Pick<Bindings, 'vectors' | 'texts'>): IndexFeed[] => [
  ...new Set([vectors.feed, texts.feed]),
]

/** Keeps the derived indexes up to date with the catalog. */
export function createIndexer(
  { catalog, clock, log }: Pick<Bindings, 'catalog' | 'clock' | 'log'>,
  feeds: readonly IndexFeed[],
) {
  const recent = new RecentChanges()
  /** By namespace, resolves when an index of this process has taken further changes. */
  const applied = new Map<string, PromiseWithResolvers<void>>()
  const nextApplied = (namespaceId: string): Promise<void> => {
    const next = applied.get(namespaceId) ?? Promise.withResolvers<void>()
    applied.set(namespaceId, next)
    return next.promise
  }
  const onApplied = (namespaceId: string) => {
    applied.get(namespaceId)?.resolve()
    applied.delete(namespaceId)
  }
  const feeders = feeds.map((feed) => createFeeder({ catalog, clock, log, onApplied }, feed, recent))
  const stopping = new AbortController()

  /** The seq that every index has reached. */
  const cursor = async (namespaceId: string) =>
    Math.min(...(await Promise.all(feeders.map((feeder) => feeder.cursor(namespaceId)))))

  /** New changes were written, up to a seq if it is given: catch up soon. */
  const notify = (namespaceId: string, upTo?: number) => {
    for (const feeder of feeders) feeder.notify(namespaceId, upTo)
  }

  const pauses = { first: 1, max: feeds.every((feed) => feed.local) ? pollMs.local : pollMs.shared }

  const until = async (namespaceId: string, met: () => Promise<boolean>, timeoutMs: number): Promise<boolean> => {
    const deadline = performance.now() + timeoutMs
    for (let looks = 0; ; looks += 1) {
      if (await met()) return true
      if (stopping.signal.aborted || performance.now() >= deadline) return false
      // Another process may apply changes, too.
      await Promise.race([nextApplied(namespaceId), sleep(pauseAfter(pauses, looks))])
    }
  }

  return {
    /** Passes on new Units that were just committed, so that they need not be read back. */
    offer: (namespaceId: string, batch: ChangeBatch) => recent.add(namespaceId, batch),
    notify,
    cursor,
    /**
     * What a search that sees the catalog up to `upTo` has to know of indexes that have reached `reached`: the seq that all
     * have reached, and whether one may lack the latest change of a Unit that it holds. If so, those of this process get a
     * moment to catch up.
     */
    state: async (namespaceId: string, reached: number, upTo: number) => {
      if (reached >= upTo) return { indexSeq: reached, mayBeOutdated: false }
      // Another process may have written changes that the indexes of this one lack.
      notify(namespaceId, upTo)
      if (recent.covers(namespaceId, reached, upTo)) return { indexSeq: reached, mayBeOutdated: false }
      let indexSeq = reached
      const caughtUp = async () => {
        indexSeq = await cursor(namespaceId).catch(() => indexSeq)
        return indexSeq >= upTo
      }
      if (feeds.every((feed) => feed.local)) await until(namespaceId, caughtUp, momentMs)
      return { indexSeq, mayBeOutdated: indexSeq < upTo }
    },
    /** The index counts as down. */
    isFailing: (feed: IndexFeed, namespaceId?: string) =>
      feeders.some((feeder) => feeder.feed === feed && feeder.isFailing(namespaceId)),
    /** Namespaces that this process is bringing up to date now. */
    atWork: () => [...new Set(feeders.flatMap((feeder) => feeder.atWork()))],
    /** Resolves when the indexes contain everything up to `seq` (true), or on timeout (false). */
    waitFor: (namespaceId: string, seq: number, timeoutMs: number) => {
      notify(namespaceId, seq)
      // An unreachable index is only late: the write must not fail.
      const reachedBy = () => cursor(namespaceId).catch(() => -1)
      return until(
        namespaceId,
        async () => feeders.every(({ trusts }) => trusts(namespaceId)) && (await reachedBy()) >= seq,
        timeoutMs,
      )
    },
    /**
     * Resolves when this process has tried to bring its own indexes up to date. The first search waits for it, and so
     * does one after an index has lost data.
     */
    ready: async (namespaceId: string) => {
      const own = feeders.filter(({ feed }) => feed.local)
      const tried = await Promise.all(own.map((feeder) => feeder.hasTried(namespaceId)))
      const behind = own.filter((_, i) => !tried[i])
      // Nearly every search: a timer for each would stay for its whole time.
      if (behind.length === 0) return
      const late = sleep(timeoutMs, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
      await Promise.race([Promise.all(behind.map((feeder) => feeder.tried(namespaceId))), late])
    },
    /** Resumes work that other processes left unfinished. */
    resume: async () => {
      const takenUp = feeders.map(async ({ feed, notify }) => {
        for (const namespaceId of await feed.behind()) notify(namespaceId)
      })
      await Promise.all(takenUp)
    },
    stop: async () => {
      stopping.abort()
      await Promise.all(feeders.map((feeder) => feeder.stop()))
    },
  }
}

interface AfterSeqDeps extends Pick<Bindings, 'catalog'> {
  indexer: Indexer
  /** How long a read waits for the indexes. */
  afterSeqWaitMs: number
}

/** Seconds until a client tries again. */
const retryAfter = 1

/**
 * Resolves when the indexes of this process hold all changes of the namespace up to the seq that a caller sent. What
 * does not read the indexes need not wait. Throws 400 for a text that is not a seq of the namespace, 503 after a time.
 */
export async function afterSeq(
  { catalog, indexer, afterSeqWaitMs }: AfterSeqDeps,
  namespaceId: string,
  sent: string,
  waits: boolean,
): Promise<void> {
  const seq = /^\d{1,16}$/.test(sent) ? Number(sent) : Number.NaN
  if (!Number.isSafeInteger(seq)) throw badRequest('after_seq: must be an integer of 0 or more')
  if (seq > (await catalog.changes.headSeq(namespaceId)))
    throw badRequest('after_seq: must be at most the latest seq of the namespace')
  if (waits && !(await holds(indexer, namespaceId, seq, afterSeqWaitMs))) {
    const detail = 'the indexes do not hold all changes up to after_seq yet: send the request again'
    throw new ServiceError('not_indexed_yet', detail, { retryAfter })
  }
}

/** An index that does not answer must not keep the caller longer. */
async function holds(indexer: Indexer, namespaceId: string, seq: number, timeoutMs: number): Promise<boolean> {
  const answered = new AbortController()
  const late = sleep(timeoutMs + graceMs, false, { signal: answered.signal }).catch(() => false)
  try {
    return await Promise.race([indexer.waitFor(namespaceId, seq, timeoutMs), late])
  } finally {
    answered.abort()
  }
}

/** The wait itself ends first, if the indexes answer. */
const graceMs = 100
