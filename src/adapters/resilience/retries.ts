import { type Fail, isFailure, RemoteError } from './remote-error.ts'
import { systemTiming, type Timing } from './timing.ts'

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
export async function withRetries<T>(
  policy: RetryPolicy,
  attempt: () => Promise<T>,
  { signal, fail, timing = systemTiming, endsAt = Number.POSITIVE_INFINITY }: RetryOptions,
): Promise<T> {
  const timedOut = () => fail('timeout', 'did not answer in time')
  for (let retry = 0; ; retry += 1) {
    try {
      signal.throwIfAborted()
      return await attempt()
    } catch (error) {
      if (signal.aborted) throw error instanceof RemoteError ? error : timedOut()
      const delay = delayBefore(policy, retry, error, timing.random())
      if (delay === null || timing.now() + delay >= endsAt) throw error
      await timing.sleep(delay, signal).catch(() => {
        throw timedOut()
      })
    }
  }
}

/** Milliseconds before the next try; null for none. ("Full jitter": Brooker, Exponential Backoff and Jitter, 2015.) */
export function delayBefore(
  { max, firstDelayMs, maxDelayMs = Number.POSITIVE_INFINITY }: RetryPolicy,
  retry: number,
  error: unknown,
  random: number,
): number | null {
  if (retry >= max || !isFailure(error, 'unreachable', 'busy', 'broken')) return null
  const delay = error.retryAfterMs ?? random * firstDelayMs * 2 ** (retry + 1)
  return delay > maxDelayMs ? null : delay
}

/** The header Retry-After (RFC 9110, 10.2.3): seconds, or a date. Null if it is missing or invalid. */
export function retryAfterMs(header: string | null, epochMs: number): number | null {
  if (header === null) return null
  if (/^\s*\d{1,9}(\.\d+)?\s*$/u.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - epochMs)
}
