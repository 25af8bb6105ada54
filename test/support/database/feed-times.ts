import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { createSharedFeed, leaseTimes } from '../../../src/domain/indexing/shared-feed.ts'
import type { IndexFeed } from '../../../src/ports/indexes/index-filter.ts'
import type { HeldRows } from './held-rows.ts'

/** Late requests don't arrive here by themselves. The feed waits for them until a test ends that time. */
const times = { ...leaseTimes, settleMs: 600_000, pollMs: 1 }

/** Processes that feed one namespace of an engine, and the time that passes for them. */
export interface FeedTimes {
  feed(holder: string, cursors?: PrismaCatalog['indexCursors']): IndexFeed
  /** Simulates that a process died a moment ago; its lease expires now. */
  leasesEnd(): Promise<void>
  /**
   * Simulates that all late requests have either been applied or never will be. Leases that were claimed before have
   * expired, so no process sends anything under them.
   */
  timePasses(): Promise<void>
}

export function createFeedTimes(engine: HeldRows, catalog: PrismaCatalog, namespaceId: string): FeedTimes {
  const { indexCursor } = catalog.client
  const leases = { namespaceId, heldUntil: { gt: 0 } }
  /** Claims wait for it, since their leases begin after the time that passes. */
  let passed = Promise.resolve()
  /** Ends the leases that were claimed before the next time passes. */
  let expiry = new AbortController()

  return {
    feed: (holder, cursors = catalog.indexCursors) => {
      let lease = expiry.signal
      const claim: typeof cursors.claim = async (...claimed) => {
        await passed
        lease = expiry.signal
        return cursors.claim(...claimed)
      }
      const write: HeldRows['write'] = (id, changes, attempt) =>
        engine.write(id, changes, { ...attempt, signal: AbortSignal.any([attempt.signal, lease]) })
      const changeReaders: HeldRows['changeReaders'] = async (id, changes, attempt) =>
        engine.changeReaders?.(id, changes, { ...attempt, signal: AbortSignal.any([attempt.signal, lease]) })
      // Tests replace methods of `cursors` later.
      const claiming = Object.assign(Object.create(cursors), { claim })
      return createSharedFeed({ ...engine, write, changeReaders }, claiming, holder, times)
    },

    leasesEnd: async () => {
      await indexCursor.updateMany({ where: leases, data: { heldUntil: Date.now() } })
    },

    timePasses: async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      passed = promise
      expiry.abort()
      expiry = new AbortController()
      engine.arrive()
      await indexCursor.updateMany({ where: { namespaceId, unsettledUntil: { gt: 0 } }, data: { unsettledUntil: 1 } })
      await indexCursor.updateMany({ where: leases, data: { heldUntil: 1 } })
      resolve()
    },
  }
}
