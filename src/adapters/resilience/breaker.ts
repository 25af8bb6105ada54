import { type Growth, pauseAfter } from '../../async/backoff.ts'
import { type Fail, type FailureCode, RemoteError } from './remote-error.ts'

export interface BreakerOptions {
  /** Makes the error of a call that the breaker rejects. */
  fail: Fail
  /** Monotonic milliseconds. */
  now(): number
  /** How much a failure adds to the current row. 0 ends the row; a code without a weight does not change it. */
  weights: Partial<Record<FailureCode, number>>
  /** The sum that opens the breaker. */
  threshold: number
  /** How long it stays open; grows each time that it opens again without a success. */
  pauseMs: Growth
  /** A shorter timeout, because the caller had no more time, does not change the row. */
  minTimeoutMs?: number
}

/**
 * A circuit breaker (Nygard, Release It!, 2007): a service that keeps failing is not called for a while, so that no
 * caller waits for it.
 */
export interface Breaker {
  /**
   * Makes the call, or throws `paused` at once. After a pause one caller at a time tries the service: with the probe if
   * given, otherwise with its own call.
   */
  run<T>(call: () => Promise<T>, probe?: () => Promise<unknown>): Promise<T>
  /** The service failed too often and has not answered since. */
  isOpen(): boolean
}

export function createBreaker(options: BreakerOptions): Breaker {
  const { fail, now, weights, threshold, pauseMs, minTimeoutMs = 0 } = options
  let failures = 0
  let openings = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let probing = false

  const isOpen = () => failures >= threshold

  const count = (weight: number | undefined) => {
    // A call that was running when the breaker opened says nothing new.
    if (weight === undefined || now() < pausedUntil) return
    if (weight === 0) {
      failures = 0
      openings = 0
      return
    }
    failures += weight
    if (!isOpen()) return
    pausedUntil = now() + pauseAfter(pauseMs, openings)
    openings += 1
  }

  async function counted<T>(call: () => Promise<T>): Promise<T> {
    const started = now()
    try {
      const value = await call()
      count(0)
      return value
    } catch (error) {
      const isCutShort = error instanceof RemoteError && error.code === 'timeout' && now() - started < minTimeoutMs
      if (error instanceof RemoteError && !isCutShort) count(weights[error.code])
      throw error
    }
  }

  async function probed<T>(call: () => Promise<T>): Promise<T> {
    if (probing || now() < pausedUntil) throw fail('paused', 'failed a moment ago and is not called')
    probing = true
    try {
      return await counted(call)
    } finally {
      probing = false
    }
  }

  return {
    isOpen,
    run: async (call, probe) => {
      if (!isOpen()) return counted(call)
      if (!probe) return probed(call)
      await probed(probe).catch((error: unknown) => {
        // Any answer shows that the service is up.
        if (isOpen()) throw error
      })
      return counted(call)
    },
  }
}
