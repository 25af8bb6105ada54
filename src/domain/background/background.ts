import { startInterval } from '../../async/interval.ts'
import type { Log } from '../../model/log.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'
import { outsideWrites } from '../writes/writes.ts'

/** Work that a request may leave for later. It runs in the background, and resumes after a restart. */
export interface BackgroundWork {
  /** There may be work: run soon, and from the first call on also at intervals. */
  kick(): void
  /** Resolves when all work requested so far is done; tests and shutdown wait for it. */
  idle(): Promise<void>
  stop(): Promise<void>
}

/**
 * A task returns how many things it did; above zero it is run again. Failures are logged and retried later. The signal
 * fires on shutdown: a task should then stop waiting for others.
 */
export type BackgroundTask = { name: string; run(stopping: AbortSignal): Promise<number> }

/**
 * A task that writes what requests left in memory. While requests come in there is always more: without a pause it would
 * write all the time, and the tasks after it would never run.
 */
export const onceARound = (name: string, write: () => Promise<void>): BackgroundTask => ({
  name,
  run: async () => {
    await write()
    return 0
  },
})

const everyMs = 2000

export function createBackgroundWork(tasks: readonly BackgroundTask[], log: Log): BackgroundWork {
  let running: Promise<void> | null = null
  let again = false
  let endInterval: (() => void) | null = null
  const stopping = new AbortController()
  /** By task, its last error: an outage is logged once, and not every two seconds. */
  const failures = new Map<string, string>()

  const runTask = async (task: BackgroundTask) => {
    try {
      while (!stopping.signal.aborted && (await task.run(stopping.signal)) > 0);
      failures.delete(task.name)
    } catch (error) {
      if (stopping.signal.aborted) return
      const problem = String(error)
      if (failures.get(task.name) === problem) return
      failures.set(task.name, problem)
      log.warn({ err: error, task: task.name }, 'background failed and will be retried')
    }
  }

  const round = async () => {
    do {
      again = false
      for (const task of tasks) await runTask(task)
    } while (again && !stopping.signal.aborted)
    running = null
  }

  const kick = () => {
    if (stopping.signal.aborted) return
    endInterval ??= startInterval(everyMs, kick)
    if (running) again = true
    // The round outlives the request that started it.
    else running = outsideWrites(round)
  }

  return {
    kick,
    idle: async () => {
      while (running) await running
    },
    stop: async () => {
      stopping.abort()
      endInterval?.()
      await running
    },
  }
}

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

/** Runs the task on one replica at a time: replicas must not repeat costly provider calls. */
export const withClusterLock = (catalog: Pick<Catalog, 'withClusterLock'>, task: BackgroundTask): BackgroundTask => ({
  name: task.name,
  run: async (stopping) => {
    if (!catalog.withClusterLock) return task.run(stopping)
    // Another replica runs it: there is nothing to do here.
    return (await catalog.withClusterLock(task.name, () => task.run(stopping))) ?? 0
  },
})
