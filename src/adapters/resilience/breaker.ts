import { type Fail, type FailureCode, RemoteError } from './remote-error.ts'

export interface BreakerOptions {
  /** Makes the error of a call that is not made. */
  fail: Fail
  /** Milliseconds that only grow. */
  now(): number
  /** What a failure adds to those in a row. 0 ends the row; a code without a weight leaves it as it is. */
  weights: Partial<Record<FailureCode, number>>
  /** So much in a row opens the breaker. */
  threshold: number
  /** How long it stays open; doubled each time that it opens without a success in between. */
  pauseMs: { first: number; max: number }
  /** A timeout after less than this, because the caller had no more time, leaves the row as it is. */
  minTimeoutMs?: number
}

/**
 * A circuit breaker (Nygard, Release It!, 2007): a service that keeps failing is not called for a while, so that nobody
 * waits for it.
 */
export interface Breaker {
  /**
   * Makes the call, or throws `paused` at once. After a pause one caller at a time tries the service: with the probe where
   * one is given, else with its own call.
   */
  run<T>(call: () => Promise<T>, probe?: () => Promise<unknown>): Promise<T>
  /** The service failed too often, and has not answered since. */
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
    // A call that was under way when the breaker opened says nothing new.
    if (weight === undefined || now() < pausedUntil) return
    if (weight === 0) {
      failures = 0
      openings = 0
      return
    }
    failures += weight
    if (!isOpen()) return
    pausedUntil = now() + Math.min(pauseMs.max, pauseMs.first * 2 ** openings)
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
        // An answer of any kind shows that the service is there.
        if (isOpen()) throw error
      })
      return counted(call)
    },
  }
}
