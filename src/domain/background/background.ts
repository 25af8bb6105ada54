import type { Log } from '../../model/log.ts'
import { outsideWrites } from '../writes/current-write.ts'

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
  let timer: NodeJS.Timeout | null = null
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
    timer ??= setInterval(kick, everyMs).unref()
    if (running) again = true
    // A request that kicks it is over before it.
    else running = outsideWrites(round)
  }

  return {
    kick,
    idle: async () => {
      while (running) await running
    },
    stop: async () => {
      stopping.abort()
      if (timer) clearInterval(timer)
      await running
    },
  }
}
