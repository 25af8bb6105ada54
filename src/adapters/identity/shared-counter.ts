import type { Counter } from '../../ports/stores/key-value.ts'

/**
 * Counts in the shared store and in this process; the larger count is valid. While the shared store is down each
 * process uses its own count. The limit is then per process: no one is locked out, and no one has unlimited attempts.
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
