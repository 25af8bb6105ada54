import type { Clock } from '../../ports/clock.ts'
import type { BackgroundTask } from './background.ts'

/** Runs the task at most once in `ms`. A clock that jumps, either way, delays it by no more than that. */
export function every(clock: Clock, ms: number, task: BackgroundTask): BackgroundTask {
  let ranAt = Number.NEGATIVE_INFINITY
  return {
    name: task.name,
    run: async (stopping) => {
      const now = clock.now()
      if (Math.abs(now - ranAt) < ms) return 0
      const done = await task.run(stopping)
      // Only now: what failed is tried again soon.
      ranAt = now
      return done
    },
  }
}
