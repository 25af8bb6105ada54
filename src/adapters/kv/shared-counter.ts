import type { Counter } from '../../ports/stores/key-value.ts'

/**
 * Counts in the shared store and in this process. The shared count is valid, unless it is below what this process counted:
 * someone wrote something else there. While the shared store is down each process uses its own count. The limit is then
 * per process: no one is locked out, and no one has unlimited attempts.
 */
export function createSharedCounter(shared: Counter, here: Counter): Counter {
  /** By key, how many requests to the shared store have no answer yet. */
  const waiting = new Map<string, number>()
  return {
    increment: async (key, ttlMs) => {
      const seen = await here.increment(key, ttlMs)
      // They began earlier, and may reach the store later.
      const overtaken = waiting.get(key) ?? 0
      waiting.set(key, overtaken + 1)
      try {
        const all = await shared.increment(key, ttlMs)
        return all + overtaken < seen ? seen : all
      } catch {
        return seen
      } finally {
        const left = (waiting.get(key) ?? 1) - 1
        if (left === 0) waiting.delete(key)
        else waiting.set(key, left)
      }
    },
  }
}
