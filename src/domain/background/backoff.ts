import type { Clock } from '../../ports/clock.ts'

const waitMs = { first: 1000, max: 60_000 }

/** After failures: longer and longer pauses, and less concurrency, which a slow provider may need. */
export interface Backoff {
  readonly atOnce: number
  isDue(): boolean
  failed(): void
  succeeded(): void
}

export function createBackoff(clock: Clock, maxAtOnce: number): Backoff {
  let wait = 0
  let failedAt = 0
  let atOnce = maxAtOnce
  return {
    get atOnce() {
      return atOnce
    },
    // A clock that jumps, either way, ends the pause.
    isDue: () => Math.abs(clock.now() - failedAt) >= wait,
    failed: () => {
      wait = Math.min(Math.max(wait * 2, waitMs.first), waitMs.max)
      failedAt = clock.now()
      atOnce = Math.max(1, atOnce >> 1)
    },
    succeeded: () => {
      wait = 0
      atOnce = Math.min(maxAtOnce, atOnce * 2)
    },
  }
}
