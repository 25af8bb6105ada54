import type { Counter } from '../../ports/key-value.ts'

/**
 * Counts in the shared store and here: the larger count holds. While the shared store is down each process goes by what
 * it saw itself, so that the limit is loosened to one per process; nobody is shut out, and nobody may try without end.
 */
export function createSharedCounter(shared: Counter, here: Counter): Counter {
  return {
    increment: async (key, ttlMs) => {
      const seen = await here.increment(key, ttlMs)
      return shared.increment(key, ttlMs).then(
        (all) => Math.max(all, seen),
        () => seen,
      )
    },
  }
}
