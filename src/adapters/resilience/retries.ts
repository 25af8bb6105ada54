import { setTimeout as delay } from 'node:timers/promises'
import { pauseAfter, retried } from '../../async/backoff.ts'
import { type Fail, isFailure, RemoteError } from './remote-error.ts'

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

export interface RetryPolicy {
  /** Number of tries after the first one. */
  max: number
  firstDelayMs: number
  /** A service that requests a longer pause is not tried again. */
  maxDelayMs?: number
}

interface RetryOptions {
  signal: AbortSignal
  fail: Fail
  timing?: Timing
  /** No pause extends beyond this moment of `timing`. */
  endsAt?: number
}

/**
 * Retries temporary failures: after the pause that the service requests, otherwise after a random part of a time that
 * doubles. Throws `timeout` if the signal aborts first.
 */
export function withRetries<T>(
  policy: RetryPolicy,
  attempt: () => Promise<T>,
  { signal, fail, timing = systemTiming, endsAt = Number.POSITIVE_INFINITY }: RetryOptions,
): Promise<T> {
  const timedOut = () => fail('timeout', 'did not answer in time')
  return retried(
    async () => {
      signal.throwIfAborted()
      return attempt()
    },
    (error, retry) => {
      if (signal.aborted) throw error instanceof RemoteError ? error : timedOut()
      const ms = delayBefore(policy, retry, error, timing.random())
      return ms === null || timing.now() + ms >= endsAt ? null : ms
    },
    (ms) =>
      timing.sleep(ms, signal).catch(() => {
        throw timedOut()
      }),
  )
}

/** Milliseconds before the next try; null for none. ("Full jitter": Brooker, Exponential Backoff and Jitter, 2015.) */
export function delayBefore(
  { max, firstDelayMs, maxDelayMs = Number.POSITIVE_INFINITY }: RetryPolicy,
  retry: number,
  error: unknown,
  random: number,
): number | null {
  if (retry >= max || !isFailure(error, 'unreachable', 'busy', 'broken')) return null
  const ms = error.retryAfterMs ?? random * pauseAfter({ first: firstDelayMs }, retry + 1)
  return ms > maxDelayMs ? null : ms
}

/** The header Retry-After (RFC 9110, 10.2.3): seconds, or a date. Null if it is missing or invalid. */
export function retryAfterMs(header: string | null, epochMs: number): number | null {
  if (header === null) return null
  if (/^\s*\d{1,9}(\.\d+)?\s*$/u.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - epochMs)
}
