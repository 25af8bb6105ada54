import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../ports/catalog.ts'
import type { IndexFeed } from '../../ports/index-filter.ts'
import type { Log } from '../../ports/log.ts'

/** Keeps the derived indexes up with the catalog, a namespace at a time, from each index's own cursor. */
export interface Indexer {
  /** Something was written: catch up soon. */
  notify(namespaceId: string): void
  /** Resolves when the indexes hold everything up to `seq` (true) or the wait is over (false). */
  waitFor(namespaceId: string, seq: number, timeoutMs: number): Promise<boolean>
  /**
   * Resolves once this process has tried to bring a namespace up to date: what a first search waits for, and one that
   * comes after an index has lost what it held.
   */
  ready(namespaceId: string): Promise<void>
  /** The seq that every index has reached. */
  cursor(namespaceId: string): Promise<number>
  stop(): Promise<void>
}

const batchSize = 500
const retryMs = { first: 250, most: 15_000 }

/** How long a search waits for a rebuild. */
const patienceMs = 60_000

interface Run {
  /** Set when changes arrived while the run was already under way. */
  again: boolean
  /** The first attempt is over. */
  tried: PromiseWithResolvers<void>
  done: Promise<void>
}

export function createIndexer(catalog: Catalog, feeds: readonly IndexFeed[], log: Log): Indexer {
  const runs = new Map<string, Run>()
  /** By namespace, the cursor after the latest attempt. */
  const reached = new Map<string, number>()
  const stopping = new AbortController()

  const cursor = async (namespaceId: string) =>
    Math.min(...(await Promise.all(feeds.map((feed) => feed.cursor(namespaceId)))))

  /** What is ahead of the catalog was made from another one. */
  const resetIfForeign = async (namespaceId: string, feed: IndexFeed) => {
    if (reached.has(namespaceId) || (await feed.cursor(namespaceId)) <= (await catalog.changes.headSeq(namespaceId)))
      return
    log.warn({ namespaceId }, 'an index is ahead of the catalog; rebuilding')
    await feed.reset(namespaceId)
  }

  const catchUpOne = async (namespaceId: string, feed: IndexFeed) => {
    await resetIfForeign(namespaceId, feed)
    for (;;) {
      if (stopping.signal.aborted) return
      const changes = await catalog.changes.after(namespaceId, await feed.cursor(namespaceId), batchSize)
      const last = changes.at(-1)
      if (!last) return
      await feed.apply(
        namespaceId,
        changes.map(({ change }) => change),
        last.seq,
      )
      if (changes.length < batchSize) return
    }
  }

  const catchUp = async (namespaceId: string): Promise<boolean> => {
    const results = await Promise.allSettled(feeds.map((feed) => catchUpOne(namespaceId, feed)))
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) log.warn({ err: reason, namespaceId }, 'indexing failed and will be retried')
    return failed.length === 0
  }

  const loop = async (namespaceId: string, run: Run) => {
    let wait = retryMs.first
    while (!stopping.signal.aborted) {
      run.again = false
      const caughtUp = await catchUp(namespaceId)
      reached.set(namespaceId, caughtUp ? await cursor(namespaceId) : 0)
      run.tried.resolve()
      if (caughtUp && !run.again) break
      if (caughtUp) continue
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {})
      wait = Math.min(wait * 2, retryMs.most)
    }
    runs.delete(namespaceId)
  }

  const notify = (namespaceId: string): void => {
    if (stopping.signal.aborted) return
    const running = runs.get(namespaceId)
    if (running) {
      running.again = true
      return
    }
    const run: Run = { again: false, tried: Promise.withResolvers(), done: Promise.resolve() }
    runs.set(namespaceId, run)
    run.done = loop(namespaceId, run)
  }

  const until = async (met: () => Promise<boolean>, timeoutMs: number): Promise<boolean> => {
    const deadline = performance.now() + timeoutMs
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      if (await met()) return true
      if (stopping.signal.aborted || performance.now() >= deadline) return false
      await sleep(pause)
    }
  }

  return {
    notify,
    cursor,
    waitFor: (namespaceId, seq, timeoutMs) => {
      notify(namespaceId)
      return until(async () => (await cursor(namespaceId)) >= seq, timeoutMs)
    },
    ready: async (namespaceId) => {
      const known = reached.get(namespaceId)
      if (known !== undefined && (await cursor(namespaceId).catch(() => 0)) >= known) return
      notify(namespaceId)
      const late = sleep(patienceMs, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
      await Promise.race([runs.get(namespaceId)?.tried.promise, late])
    },
    stop: async () => {
      stopping.abort()
      await Promise.all([...runs.values()].map((run) => run.done))
    },
  }
}
