import { Keyv } from 'keyv'
import type { KeyValue } from '../../ports/key-value.ts'
import { RecentMap } from './recent-map.ts'

/** In this process only. Holds at most `maxEntries`; the least recently used ones go first. */
export function createMemoryKeyValue(maxEntries = 100_000): KeyValue {
  const keyv = new Keyv<string>({ store: new RecentMap<string, unknown>(maxEntries), serialization: false })
  return {
    engine: 'memory',
    get: async (key) => (await keyv.get(key)) ?? null,
    set: async (key, value, ttlMs) => {
      // Keyv takes a ttl of 0 for "never expires".
      if (ttlMs <= 0) await keyv.delete(key)
      else if (!(await keyv.set(key, value, ttlMs))) throw new Error('the key-value store refused a write')
    },
    delete: async (key) => {
      await keyv.delete(key)
    },
    ping: async () => {},
    close: async () => {
      await keyv.disconnect()
    },
  }
}
