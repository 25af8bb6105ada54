import { setTimeout as sleep } from 'node:timers/promises'

/** How pauses grow: from `first` by `factor`, which is 2 by default, up to `max`. Milliseconds. */
export interface Growth {
  first: number
  max?: number
  factor?: number
}

/** The pause after a failure, or before the next look; `before` is the number of earlier ones. */
export const pauseAfter = ({ first, max = Number.POSITIVE_INFINITY, factor = 2 }: Growth, before: number): number =>
  Math.min(max, first * factor ** before)

/**
 * Tries again while `pauseFor` gives a pause for the error, with the number of tries before the one that failed. With
 * null it throws the error.
 */
export async function retried<T>(
  attempt: () => Promise<T>,
  pauseFor: (error: unknown, before: number) => number | null,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms),
): Promise<T> {
  for (let before = 0; ; before += 1) {
    try {
      return await attempt()
    } catch (error) {
      const ms = pauseFor(error, before)
      if (ms === null) throw error
      await pause(ms)
    }
  }
}

/** After failures: longer and longer pauses, and less concurrency, which a slow provider may need. */
export interface Backoff {
  readonly atOnce: number
  isDue(): boolean
  failed(): void
  succeeded(): void
}

const waitMs: Growth = { first: 1000, max: 60_000 }

export function createBackoff(clock: { now(): number }, maxAtOnce: number): Backoff {
  let failures = 0
  let failedAt = 0
  let atOnce = maxAtOnce
  return {
    get atOnce() {
      return atOnce
    },
    // A clock that jumps, either way, ends the pause.
    isDue: () => failures === 0 || Math.abs(clock.now() - failedAt) >= pauseAfter(waitMs, failures - 1),
    failed: () => {
      failures += 1
      failedAt = clock.now()
      atOnce = Math.max(1, atOnce >> 1)
    },
    succeeded: () => {
      failures = 0
      atOnce = Math.min(maxAtOnce, atOnce * 2)
    },
  }
}
