import { LRUCache } from 'lru-cache'

/** What the memory holds, within its limit: the least recently used entries go first. */
export interface Held {
  get(key: string): object | undefined
  /** `size`: about how many bytes it takes. The value is frozen, because all requests share it. */
  set(key: string, value: object, size: number): void
  delete(key: string): void
}

/** Unless the setting says otherwise. MiB. */
export const defaultMemoryMb = 64

/** The largest share of the limit that one entry may take. */
const maxShare = 0.25

export function createHeld(maxBytes: number): Held {
  const entries = new LRUCache<string, object>({ maxSize: maxBytes, maxEntrySize: Math.ceil(maxBytes * maxShare) })
  return {
    get: (key) => entries.get(key),
    set: (key, value, size) => {
      entries.set(key, deepFreeze(value), { size: Math.ceil(size) + 2 * key.length })
    },
    delete: (key) => {
      entries.delete(key)
    },
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part)
  return Object.freeze(value)
}
