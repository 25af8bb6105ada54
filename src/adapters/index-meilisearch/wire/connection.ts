import { Meilisearch } from 'meilisearch'
import { signalWithin } from '../../../async/deadline.ts'
import { createBreaker } from '../../resilience/breaker.ts'
import { isFailure, RemoteError } from '../../resilience/remote-error.ts'
import { failure, failureOf } from './failure.ts'
import type { MeilisearchConfig } from './meilisearch-config.ts'

/** Timeouts in ms. All calls of a search share one timeout. */
export const callMs = { search: 2500, probe: 1500, other: 10_000 } as const

export interface CallOptions {
  ms: number
  /** Ends the call early. */
  signal?: AbortSignal | undefined
  /** Called after each failed try whose request may still take effect, even after later requests. */
  unsettled?: () => void
  /** The token to use instead of the administrator's key. */
  token?: string
}

/** The connection to one Meilisearch. */
export interface Connection {
  readonly index: string
  /**
   * Runs requests with a client that the timeout and the signal end. It retries once when the connection was lost, so
   * requests must be idempotent. Throws only RemoteError; throws at once while the engine is known to be down.
   */
  call<T>(options: CallOptions, ask: (client: Meilisearch) => Promise<T>): Promise<T>
}

/** How long an engine that is down is not called; the default. */
export const defaultPauseMs = 5000

/** One timeout opens the breaker, or three immediate failures. A refusal shows that the engine is up. */
const breaking = {
  weights: {
    timeout: 3,
    unreachable: 1,
    busy: 1,
    broken: 1,
    malformed: 1,
    absent: 0,
    conflict: 0,
    refused: 0,
    failed: 0,
  },
  threshold: 3,
  minTimeoutMs: 1000,
}

/** `now` is in ms, from any starting point. */
export function connect(
  { url, key, index, pauseMs = defaultPauseMs }: MeilisearchConfig,
  now: () => number,
): Connection {
  const breaker = createBreaker({
    ...breaking,
    fail: failure,
    now,
    pauseMs: { first: pauseMs, max: pauseMs },
  })

  async function attempt<T>(signal: AbortSignal, token: string, ask: (client: Meilisearch) => Promise<T>): Promise<T> {
    // A key must not follow a redirect to another host.
    const requestInit = { signal, redirect: 'error' as const }
    try {
      return await ask(new Meilisearch({ host: url, apiKey: token, requestInit }))
    } catch (error) {
      throw failureOf(error, signal)
    }
  }

  return {
    index,
    call: ({ ms, signal: outer, token = key, unsettled }, ask) => {
      const probe = () => attempt(signalWithin(callMs.probe, outer), key, (client) => client.index(index).getRawInfo())
      return breaker.run(async () => {
        const signal = signalWithin(ms, outer)
        const once = () =>
          attempt(signal, token, ask).catch((error) => {
            if (error instanceof RemoteError && error.mayBeDone) unsettled?.()
            throw error
          })
        return once().catch((error) => {
          const lost = isFailure(error, 'unreachable') && !signal.aborted
          if (lost) return once()
          throw error
        })
      }, probe)
    },
  }
}
