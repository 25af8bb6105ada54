import { z } from 'zod'
import { pauseAfter, retried } from '../../../async/backoff.ts'
import { RefusedError } from '../../../model/operator-error.ts'
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

const context = z.object({
  context: z.object({
    activeScope: z.string(),
    requestedScope: z.string(),
    effectiveScopes: z.array(z.string()),
    perms: z.array(z.string()),
  }),
})
const query = '{ context { activeScope requestedScope effectiveScopes perms } }'

/** The scope where the Units go, as the service decides it for Units that name none. */
export async function scopeOf(client: Client, wanted: string | undefined, clientIn: (scope: string) => Client) {
  const { context: caller } = await client.ask(context, query, {})
  if (wanted !== undefined && wanted !== '*') return wanted
  if (caller.activeScope !== '*') return caller.activeScope
  const writable: string[] = []
  for (const scope of caller.effectiveScopes) {
    const { context: there } = await clientIn(scope).ask(context, query, {})
    if (there.perms.includes('write')) writable.push(scope)
  }
  const [only, ...others] = writable
  if (only !== undefined && others.length === 0) return only
  const named = writable.length === 0 ? '' : `: ${writable.slice(0, 20).join(', ')}`
  throw new RefusedError(`--scope is needed; name one that you may write${named}`)
}
