import type { UsageStore } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'

/** Counts searches per namespace and hour, written in groups: a crash may lose those of the last seconds. */
export interface QueryCounter {
  count(namespaceId: string): void
  lastDay(namespaceId: string): Promise<number>
  /** Writes the counts since the last time, after those that are being written. */
  flush(): Promise<void>
}

const hourMs = 3_600_000

export function createQueryCounter(usage: UsageStore, clock: Clock): QueryCounter {
  let waiting = new Map<string, { namespaceId: string; hour: number; queries: number }>()
  const thisHour = () => Math.floor(clock.now() / hourMs)

  const add = (namespaceId: string, hour: number, queries: number) => {
    const key = `${namespaceId} ${hour}`
    const entry = waiting.get(key) ?? { namespaceId, hour, queries: 0 }
    entry.queries += queries
    waiting.set(key, entry)
  }

  const write = async () => {
    const batch = waiting
    waiting = new Map()
    for (const [key, { namespaceId, hour, queries }] of batch) {
      batch.delete(key)
      await usage.addQueries(namespaceId, hour, queries).catch((error: unknown) => {
        // Kept for the next time, together with the following ones.
        for (const left of [{ namespaceId, hour, queries }, ...batch.values()]) {
          add(left.namespaceId, left.hour, left.queries)
        }
        throw error
      })
    }
  }

  let last: Promise<void> = Promise.resolve()
  const flush = () => {
    last = last.catch(() => {}).then(write)
    return last
  }

  return {
    count: (namespaceId) => add(namespaceId, thisHour(), 1),
    lastDay: async (namespaceId) => {
      await flush()
      return usage.queriesSince(namespaceId, thisHour() - 23)
    },
    flush,
  }
}
