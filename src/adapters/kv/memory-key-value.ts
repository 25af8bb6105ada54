import type { KeyValue } from '../../ports/stores/key-value.ts'

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

/** A Map of at most `limit` entries: a new entry replaces the least recently used one. */
class RecentMap<K, V> extends Map<K, V> {
  readonly #limit: number

  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  // A Map iterates in insertion order; inserting again on use makes that the order of use.
  override get(key: K): V | undefined {
    const value = super.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  override set(key: K, value: V): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#limit) for (const oldest of this.keys()) return this.#drop(oldest)
    return this
  }

  #drop(key: K): this {
    this.delete(key)
    return this
  }
}
