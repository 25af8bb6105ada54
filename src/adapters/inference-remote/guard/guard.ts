import { createBreaker } from './breaker.ts'
import type { Gate } from './gate.ts'
import { type Failure, malformed, ProviderError } from './provider-error.ts'
import { delayBefore } from './retries.ts'
import type { Timing } from './timing.ts'

export interface CallOptions {
  /** Ends the call before its time. */
  signal?: AbortSignal | undefined
  /** Somebody waits for it: it goes before the others. */
  urgent: boolean
}

/** Stands between the service and one model of a provider. */
export interface Guard {
  /**
   * Tries until it succeeds, within the time of a call, retries and waiting in line included. What is under way then is
   * aborted. Throws ProviderError alone.
   */
  run<T>(attempt: (signal: AbortSignal) => Promise<T>, options: CallOptions): Promise<T>
  /** The provider failed too often, and has not answered since. */
  isFailing(): boolean
}

export interface GuardOptions {
  /** Names the model in errors. */
  name: string
  timeoutMs: number
  /** Shared by all models behind one address. */
  gate: Gate
  timing: Timing
}

/** These say that the provider is not well. */
const telling: ReadonlySet<Failure> = new Set(['timeout', 'unreachable', 'busy', 'broken', 'malformed'])
/** The part of its time that a call must have had before being cut short counts against the provider. */
const fairPart = 0.1

export function createGuard({ name, timeoutMs, gate, timing }: GuardOptions): Guard {
  const breaker = createBreaker(timing.now)

  async function tryUntil<T>(attempt: (signal: AbortSignal) => Promise<T>, signal: AbortSignal, urgent: boolean) {
    const end = timing.now() + timeoutMs
    for (let retry = 0; ; retry += 1) {
      const leave = await gate.enter(signal, urgent)
      const outcome = await unlessAborted(attempt(signal), signal)
        .then((value) => ({ value }), failureOf)
        .finally(leave)
      if ('value' in outcome) return outcome.value
      const delay = delayBefore(retry, outcome, timing.random())
      if (delay === null || timing.now() + delay >= end) throw outcome
      await timing.sleep(delay, signal)
    }
  }

  return {
    isFailing: breaker.isOpen,
    run: async (attempt, { signal: outer, urgent }) => {
      const started = timing.now()
      const over = new AbortController()
      const signal = outer ? AbortSignal.any([outer, over.signal]) : over.signal
      try {
        if (signal.aborted) throw new ProviderError('timeout', 'no time is left to ask it')
        const trial = breaker.begin()
        timing.sleep(timeoutMs, over.signal).then(
          () => over.abort(),
          () => {},
        )
        try {
          const value = await tryUntil(attempt, signal, urgent)
          trial.succeeded()
          return value
        } catch (error) {
          const { code } = failureOf(error)
          const cutShort = code === 'timeout' && timing.now() - started < timeoutMs * fairPart
          if (cutShort) trial.letGo()
          else if (telling.has(code)) trial.failed()
          else trial.succeeded()
          throw error
        }
      } catch (error) {
        const { code, message, httpStatus, retryAfterMs } = failureOf(error)
        throw new ProviderError(code, `${name}: ${message}`, httpStatus, retryAfterMs)
      } finally {
        over.abort()
      }
    },
  }
}

const timeout = () => new ProviderError('timeout', 'did not answer in time')

/** An attempt that does not heed its signal is left behind. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(timeout())
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function failureOf(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) return timeout()
  return malformed('answered in no known shape')
}
