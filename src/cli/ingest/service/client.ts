import type { z } from 'zod'
import { pauseAfter, retried } from '../../../async/backoff.ts'
import { ask, LaterError } from '../../program/graphql.ts'
import type { Service } from '../../program/service.ts'

/** There is no service; or there was one, and it has been away for too long. */
export class AwayError extends Error {
  readonly waited: boolean

  constructor(message: string, waited: boolean) {
    super(message)
    this.waited = waited
  }
}

const awayMs = 60_000
const pauseMs = { first: 250, max: 5_000 }

export interface Client {
  readonly service: Service
  /** The data of a GraphQL operation. Waits while the service is busy or away. Throws `RefusedError`, `AwayError`. */
  ask<S extends z.ZodType>(data: S, query: string, variables: object): Promise<z.output<S>>
  /** Runs an attempt again while it throws `LaterError`. */
  persist<T>(attempt: () => Promise<T>): Promise<T>
}

export function createClient(service: Service, now: () => number): Client {
  /** Since when there was no answer; null while there are answers. A service that never answered isn't waited for. */
  let awaySince: number | null = null
  let seen = false

  const persist = <T>(attempt: () => Promise<T>): Promise<T> =>
    retried(
      async () => {
        const result = await attempt()
        seen = true
        awaySince = null
        return result
      },
      (error, before) => {
        if (!(error instanceof LaterError)) throw error
        if (error.answer === 'none' && !seen) throw new AwayError(`${service.url}: ${error.message}`, false)
        seen = true
        awaySince = error.answer === 'busy' ? null : (awaySince ?? now())
        if (awaySince !== null && now() - awaySince >= awayMs) {
          throw new AwayError(`${service.url} was away for ${awayMs / 1000} s: ${error.message}`, true)
        }
        return error.ms ?? pauseAfter(pauseMs, before)
      },
    )

  return {
    service,
    persist,
    ask: (data, query, variables) => persist(() => ask(service, data, query, variables)),
  }
}
