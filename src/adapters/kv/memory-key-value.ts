import type { KeyValue } from '../../ports/stores/key-value.ts'
import { RecentMap } from './recent-map.ts'

interface Entry {
  value: string
  /** On the monotonic clock, in milliseconds. */
  until: number
}

/** Only in this process. Holds at most `maxEntries`; removes the least recently used ones first. */
export function createMemoryKeyValue(maxEntries = 100_000): KeyValue {
  const entries = new RecentMap<string, Entry>(maxEntries)
  const live = (key: string): Entry | null => {
    const entry = entries.get(key)
    if (entry && entry.until > performance.now()) return entry
    entries.delete(key)
    return null
  }

  return {
    engine: 'memory',
    get: async (key) => live(key)?.value ?? null,
    set: async (key, value, ttlMs) => {
      if (ttlMs <= 0) entries.delete(key)
      else entries.set(key, { value, until: performance.now() + ttlMs })
    },
    increment: async (key, ttlMs) => {
      const entry = live(key) ?? { value: '0', until: performance.now() + ttlMs }
      const count = Number(entry.value) + 1
      if (!Number.isSafeInteger(count)) throw new Error('the counted value is not a number')
      entries.set(key, { ...entry, value: `${count}` })
      return count
    },
    delete: async (key) => {
      entries.delete(key)
    },
    ping: async () => {},
    close: async () => {
      entries.clear()
    },
  }
}
