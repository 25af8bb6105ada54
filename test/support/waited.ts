import { vi } from 'vitest'

const tickMs = 10

/**
 * A clock that stands while this process does not run. What the process waits for by its own timers takes no longer by
 * this clock on a busy machine. It does not see work that blocks the event loop.
 */
export function startPatientClock(): { now(): number; stop(): void } {
  let now = 0
  const timer = setInterval(() => {
    now += tickMs
  }, tickMs)
  return { now: () => now, stop: () => clearInterval(timer) }
}

/** How long `work` took by such a clock, in ms. */
export async function waited<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const clock = startPatientClock()
  try {
    return { result: await work(), ms: clock.now() }
  } finally {
    clock.stop()
  }
}

/** How much of the processor this thread took for `work`, in ms: others use the machine, too. */
export async function worked(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const attempts = 8

/** The least of some measurements, until one is below `limitMs`: others use this machine, too. */
export async function least(limitMs: number, measure: () => Promise<number>): Promise<number> {
  let best = Infinity
  for (let i = 0; i < attempts && best >= limitMs; i += 1) best = Math.min(best, await measure())
  return best
}

/** What it returns once it does not throw, for as long as `expect.poll` waits. */
export const eventually = <T>(attempt: () => T | Promise<T>): Promise<T> => vi.waitFor(attempt, { timeout: 90_000 })
