import type { TokenUse } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'

/** A token in constant use is reported at this interval. */
const everyMs = 60_000

/** Collects in memory which tokens are used, which costs a request almost nothing. */
export function createUseCollector(clock: Clock) {
  let waiting: TokenUse[] = []
  const reported = new Map<string, number>()
  return {
    add: (hash: string): void => {
      const at = clock.now()
      if (at - (reported.get(hash) ?? -everyMs) < everyMs) return
      // Inserted again, so that the map stays in order of time.
      reported.delete(hash)
      reported.set(hash, at)
      waiting.push({ hash, at })
    },

    take: (): TokenUse[] => {
      const taken = waiting
      waiting = []
      for (const [hash, at] of reported) {
        if (clock.now() - at < everyMs) break
        reported.delete(hash)
      }
      return taken
    },
  }
}
