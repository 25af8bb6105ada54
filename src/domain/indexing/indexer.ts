import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../ports/catalog.ts'
import type { IndexFeed } from '../../ports/index-filter.ts'
import type { Log } from '../../ports/log.ts'
import { type ChangeBatch, RecentChanges } from './recent-changes.ts'

/** Keeps the derived indexes up with the catalog, a namespace at a time, from each index's own cursor. */
export interface Indexer {
  /** What was just committed: spares reading it back. */
  offer(namespaceId: string, batch: ChangeBatch): void
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
  /** By index, the namespaces whose content is known to be of this catalog. */
  const checked = new Map(feeds.map((feed) => [feed, new Set<string>()]))
  const recent = new RecentChanges()
  const stopping = new AbortController()

  const cursor = async (namespaceId: string) =>
    Math.min(...(await Promise.all(feeds.map((feed) => feed.cursor(namespaceId)))))

  /** What is ahead of the catalog was made from another one. Checked until it succeeds once. */
  const resetIfForeign = async (namespaceId: string, feed: IndexFeed) => {
    const known = checked.get(feed)
    if (known?.has(namespaceId)) return
    if ((await feed.cursor(namespaceId)) > (await catalog.changes.headSeq(namespaceId))) {
      log.warn({ namespaceId }, 'an index is ahead of the catalog; rebuilding')
      await feed.reset(namespaceId)
    }
    known?.add(namespaceId)
  }

  const readAfter = async (namespaceId: string, after: number): Promise<ChangeBatch> => {
    const rows = await catalog.changes.after(namespaceId, after, batchSize)
    return { after, upTo: rows.at(-1)?.seq ?? after, changes: rows.map(({ change }) => change) }
  }

  /** Returns the seq that it reached. */
  const catchUpOne = async (namespaceId: string, feed: IndexFeed): Promise<number> => {
    await resetIfForeign(namespaceId, feed)
    for (;;) {
      const from = await feed.cursor(namespaceId)
      if (stopping.signal.aborted) return from
      const batch = recent.after(namespaceId, from) ?? (await readAfter(namespaceId, from))
      if (batch.upTo === from) return from
      await feed.apply(namespaceId, batch.changes, batch.upTo)
    }
  }

  /** Returns the seq that every index reached, null when one failed. */
  const catchUp = async (namespaceId: string): Promise<number | null> => {
    const results = await Promise.allSettled(feeds.map((feed) => catchUpOne(namespaceId, feed)))
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) log.warn({ err: reason, namespaceId }, 'indexing failed and will be retried')
    if (failed.length > 0) return null
    return Math.min(...results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])))
  }

  const loop = async (namespaceId: string, run: Run) => {
    let wait = retryMs.first
    while (!stopping.signal.aborted) {
      run.again = false
      const seq = await catchUp(namespaceId)
      reached.set(namespaceId, seq ?? 0)
      run.tried.resolve()
      if (seq !== null && !run.again) break
      if (seq !== null) continue
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
    for (let pause = 1; ; pause = Math.min(pause * 2, 10)) {
      if (await met()) return true
      if (stopping.signal.aborted || performance.now() >= deadline) return false
      await sleep(pause)
    }
  }

  return {
    offer: (namespaceId, batch) => recent.add(namespaceId, batch),
    notify,
    cursor,
    waitFor: (namespaceId, seq, timeoutMs) => {
      notify(namespaceId)
      const trusted = () => [...checked.values()].every((known) => known.has(namespaceId))
      // An index that is away is late, no reason to fail what is written.
      const reachedBy = () => cursor(namespaceId).catch(() => -1)
      return until(async () => trusted() && (await reachedBy()) >= seq, timeoutMs)
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
