import { setTimeout as sleep } from 'node:timers/promises'
import type { Catalog } from '../../ports/catalog.ts'
import type { UnitIndex } from '../../ports/index-filter.ts'
import type { Log } from '../../ports/log.ts'

/** Keeps the derived indexes up with the catalog, a namespace at a time, from each index's own cursor. */
export interface Indexer {
  /** Something was written: catch up soon. */
  notify(namespaceId: string): void
  /** Resolves when the indexes hold everything up to `seq` (true) or the wait is over (false). */
  waitFor(namespaceId: string, seq: number, timeoutMs: number): Promise<boolean>
  /** Resolves once this process has tried to bring a namespace up to date: what a first search waits for. */
  ready(namespaceId: string): Promise<void>
  /** The seq that every index has reached. */
  cursor(namespaceId: string): Promise<number>
  stop(): Promise<void>
}

const batchSize = 500
const retryMs = { first: 250, most: 15_000 }

interface Run {
  /** Set when changes arrived while the run was already under way. */
  again: boolean
  done: Promise<void>
}

export function createIndexer(catalog: Catalog, indexes: readonly UnitIndex[], log: Log): Indexer {
  const runs = new Map<string, Run>()
  const warm = new Set<string>()
  const stopping = new AbortController()

  const cursor = async (namespaceId: string) =>
    Math.min(...(await Promise.all(indexes.map((index) => index.cursor(namespaceId)))))

  const catchUpOne = async (namespaceId: string, index: UnitIndex) => {
    for (;;) {
      if (stopping.signal.aborted) return
      const changes = await catalog.changes.after(namespaceId, await index.cursor(namespaceId), batchSize)
      const last = changes.at(-1)
      if (!last) return
      await index.apply(
        namespaceId,
        changes.map(({ change }) => change),
        last.seq,
      )
      if (changes.length < batchSize) return
    }
  }

  const catchUp = async (namespaceId: string): Promise<boolean> => {
    const results = await Promise.allSettled(indexes.map((index) => catchUpOne(namespaceId, index)))
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) log.warn({ err: reason, namespaceId }, 'indexing failed and will be retried')
    return failed.length === 0
  }

  const loop = async (namespaceId: string, run: Run) => {
    let wait = retryMs.first
    while (!stopping.signal.aborted) {
      run.again = false
      const caughtUp = await catchUp(namespaceId)
      warm.add(namespaceId)
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
    const run: Run = { again: false, done: Promise.resolve() }
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
      if (warm.has(namespaceId)) return
      notify(namespaceId)
      await until(async () => warm.has(namespaceId), 60_000)
    },
    stop: async () => {
      stopping.abort()
      await Promise.all([...runs.values()].map((run) => run.done))
    },
  }
}
