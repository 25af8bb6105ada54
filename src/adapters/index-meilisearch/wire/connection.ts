import { Meilisearch } from 'meilisearch'
import { createBreaker } from '../../resilience/breaker.ts'
import { signalWithin } from '../../resilience/deadline.ts'
import { isFailure, RemoteError } from '../../resilience/remote-error.ts'
import { failure, failureOf } from './failure.ts'
import type { MeilisearchConfig } from './meilisearch-config.ts'

/** How long things may take, in ms. All of a search's calls share one time. */
export const callMs = { search: 2500, probe: 1500, other: 10_000 } as const

export interface CallOptions {
  ms: number
  /** Ends the call before its time. */
  signal?: AbortSignal | undefined
  /** Called after each try that may be done all the same, later than what follows it. */
  unsettled?: () => void
  /** Whom to ask as, instead of the administrator. */
  token?: string
}

/** Talks to one Meilisearch. */
export interface Connection {
  readonly index: string
  /**
   * Runs what asks the engine, with a client that the time and the signal bind. Tried once more when the connection was
   * lost, so asking twice must not hurt. Throws RemoteError alone; at once while the engine is known to be away.
   */
  call<T>(options: CallOptions, ask: (client: Meilisearch) => Promise<T>): Promise<T>
}

/** How long nobody asks an engine that is away, unless something else is asked for. */
export const defaultPauseMs = 5000

/** One call that waited in vain opens it, or three that failed at once. What the engine refuses, it has read: it is there. */
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

/** `now` is in ms, from any moment on. */
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
    // A key must not follow a redirection to another host.
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
