import type { UsageStore } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'

/** Counts searches per namespace and hour, written in groups: a crash may lose the last second's. */
export interface QueryCounter {
  count(namespaceId: string): void
  lastDay(namespaceId: string): Promise<number>
  /** Writes what was counted since the last time; returns how many namespaces' hours that were. */
  flush(): Promise<number>
}

const hourMs = 3_600_000

export function createQueryCounter(usage: UsageStore, clock: Clock): QueryCounter {
  let waiting = new Map<string, { namespaceId: string; hour: number; queries: number }>()
  const thisHour = () => Math.floor(clock.now() / hourMs)

  const flush = async () => {
    const batch = waiting
    waiting = new Map()
    for (const { namespaceId, hour, queries } of batch.values()) await usage.addQueries(namespaceId, hour, queries)
    return batch.size
  }

  return {
    count: (namespaceId) => {
      const hour = thisHour()
      const key = `${namespaceId} ${hour}`
      const entry = waiting.get(key) ?? { namespaceId, hour, queries: 0 }
      entry.queries += 1
      waiting.set(key, entry)
    },
    lastDay: async (namespaceId) => {
      await flush()
      return usage.queriesSince(namespaceId, thisHour() - 23)
    },
    flush,
  }
}
