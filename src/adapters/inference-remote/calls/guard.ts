import type { Limiter } from '../../../async/limits.ts'
import { unlessAborted } from '../../../async/limits.ts'
import { createBreaker } from '../../resilience/breaker.ts'
import { type Fail, RemoteError } from '../../resilience/remote-error.ts'
import { type RetryPolicy, type Timing, withRetries } from '../../resilience/retries.ts'

/** An error of a provider. The guard puts the model's name in front. */
export const problem: Fail = (code, message, facts) => new RemoteError(code, message, facts)

export const malformed = (message: string) => problem('malformed', message)

export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal | undefined
  /** A user waits for it: it runs before the others. */
  urgent: boolean
}

/** Protects the service from failures of one model of a provider. */
export interface Guard {
  /**
   * Tries until it succeeds, within the timeout of a call, including retries and waiting in line. Aborts what is
   * running then. Throws only RemoteError.
   */
  run<T>(attempt: (signal: AbortSignal) => Promise<T>, options: CallOptions): Promise<T>
  /** The provider failed too often and has not answered since. */
  isFailing(): boolean
}

export interface GuardOptions {
  /** Names the model in errors. */
  name: string
  timeoutMs: number
  /** Shared by all models behind one address. */
  limiter: Limiter
  timing: Timing
}

/** Consecutive failures that pause the provider, and the length of the pause. */
export const failuresToPause = 5
export const pauseMs = 10_000

export const retries: RetryPolicy = { max: 2, firstDelayMs: 200 }

/** A refusal concerns one request: the provider itself works. */
const weights = { timeout: 1, unreachable: 1, busy: 1, broken: 1, malformed: 1, absent: 0, conflict: 0, refused: 0 }
/** A call that was cut short counts against the provider only if it had at least this share of its time. */
const fairPart = 0.1

export function createGuard({ name, timeoutMs, limiter, timing }: GuardOptions): Guard {
  const breaker = createBreaker({
    fail: problem,
    now: timing.now,
    weights,
    threshold: failuresToPause,
    pauseMs: { first: pauseMs, max: pauseMs },
    minTimeoutMs: timeoutMs * fairPart,
  })

  async function tryUntil<T>(attempt: (signal: AbortSignal) => Promise<T>, signal: AbortSignal, urgent: boolean) {
    const once = async () => {
      const leave = await limiter.enter({ urgent, signal })
      // Abandons an attempt that ignores its signal.
      return unlessAborted(attempt(signal), signal, timeout)
        .catch((error: unknown) => {
          throw failureOf(error)
        })
        .finally(leave)
    }
    return withRetries(retries, once, { signal, fail: problem, timing, endsAt: timing.now() + timeoutMs })
  }

  return {
    isFailing: breaker.isOpen,
    run: async (attempt, { signal: outer, urgent }) => {
      const over = new AbortController()
      const signal = outer ? AbortSignal.any([outer, over.signal]) : over.signal
      try {
        if (signal.aborted) throw problem('timeout', 'no time is left to ask it')
        return await breaker.run(() => {
          timing.sleep(timeoutMs, over.signal).then(
            () => over.abort(),
            () => {},
          )
          return tryUntil(attempt, signal, urgent)
        })
      } catch (error) {
        const { code, message, httpStatus, retryAfterMs, vendorCode } = failureOf(error)
        throw problem(code, `${name}: ${message}`, { httpStatus, retryAfterMs, vendorCode })
      } finally {
        over.abort()
      }
    },
  }
}

const timeout = () => problem('timeout', 'did not answer in time')

function failureOf(error: unknown): RemoteError {
  if (error instanceof RemoteError) return error
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) return timeout()
  return malformed('answered in no known shape')
}
