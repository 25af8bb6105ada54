import { Meilisearch } from 'meilisearch'
import type { MeilisearchConfig } from '../meilisearch-config.ts'
import { createBreaker } from './breaker.ts'
import { EngineError } from './engine-error.ts'
import { failureOf } from './failure-of.ts'

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
   * lost, so asking twice must not hurt. Throws EngineError alone; at once while the engine is known to be away.
   */
  call<T>(options: CallOptions, ask: (client: Meilisearch) => Promise<T>): Promise<T>
}

/** `now` is in ms, from any moment on. */
export function connect({ url, key, index, pauseMs }: MeilisearchConfig, now: () => number): Connection {
  const breaker = createBreaker(now, pauseMs)

  async function attempt<T>(signal: AbortSignal, token: string, ask: (client: Meilisearch) => Promise<T>): Promise<T> {
    // A key must not follow a redirection to another host.
    const requestInit = { signal, redirect: 'error' as const }
    try {
      return await ask(new Meilisearch({ host: url, apiKey: token, requestInit }))
    } catch (error) {
      throw failureOf(error, signal)
    }
  }

  const bound = (ms: number, outer: AbortSignal | undefined) => {
    const time = AbortSignal.timeout(ms)
    return outer === undefined ? time : AbortSignal.any([time, outer])
  }

  return {
    index,
    call: ({ ms, signal: outer, token = key, unsettled }, ask) => {
      const probe = () => attempt(bound(callMs.probe, outer), key, (client) => client.index(index).getRawInfo())
      return breaker.pass(async () => {
        const signal = bound(ms, outer)
        const once = () =>
          attempt(signal, token, ask).catch((error) => {
            if (error instanceof EngineError && error.mayBeDone) unsettled?.()
            throw error
          })
        return once().catch((error) => {
          const lost = error instanceof EngineError && error.code === 'unreachable' && !signal.aborted
          if (lost) return once()
          throw error
        })
      }, probe)
    },
  }
}
