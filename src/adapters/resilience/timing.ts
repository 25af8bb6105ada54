import { setTimeout as delay } from 'node:timers/promises'

/** Time and randomness, injected so that tests can fix them. */
export interface Timing {
  /** Monotonic milliseconds. */
  now(): number
  /** Rejects if the signal aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** 0 to below 1. */
  random(): number
}

export const systemTiming: Timing = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal, ref: false }),
  random: Math.random,
}
