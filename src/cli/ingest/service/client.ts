import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { reasonOf } from '../../program/reason-of.ts'
import { headersOf, type Service } from '../../program/service.ts'

/** The service refused a request, for this reason. */
export class RefusedError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** There is no service; or there was one, and it has been away for too long. */
export class AwayError extends Error {
  readonly waited: boolean

  constructor(message: string, waited: boolean) {
    super(message)
    this.waited = waited
  }
}

/** An attempt that may succeed later. `ms`: when the service wants it again, if it says so. */
export class LaterError extends Error {
  readonly ms: number | null
  /** `busy`: it has too much to do; `partly`: something of the service is away; `none`: there was no answer. */
  readonly answer: 'busy' | 'partly' | 'none'

  constructor(message: string, { ms = null, answer = 'none' }: Partial<Pick<LaterError, 'ms' | 'answer'>> = {}) {
    super(message)
    this.ms = ms
    this.answer = answer
  }
}

const awayMs = 60_000
const pauseMs = { first: 250, max: 5_000 }
const requestMs = 60_000

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

  const persist = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (let pause = pauseMs.first; ; pause = Math.min(pause * 2, pauseMs.max)) {
      try {
        const result = await attempt()
        seen = true
        awaySince = null
        return result
      } catch (error) {
        if (!(error instanceof LaterError)) throw error
        if (error.answer === 'none' && !seen) throw new AwayError(`${service.url}: ${error.message}`, false)
        seen = true
        awaySince = error.answer === 'busy' ? null : (awaySince ?? now())
        if (awaySince !== null && now() - awaySince >= awayMs) {
          throw new AwayError(`${service.url} was away for ${awayMs / 1000} s: ${error.message}`, true)
        }
        await sleep(error.ms ?? pause)
      }
    }
  }

  return {
    service,
    persist,
    ask: (data, query, variables) =>
      persist(async () => {
        const response = await fetch(new URL('/graphql', service.url), {
          method: 'POST',
          headers: { ...headersOf(service), 'content-type': 'application/json' },
          body: JSON.stringify({ query, variables }),
          signal: AbortSignal.timeout(requestMs),
        }).catch((error: unknown) => {
          throw new LaterError(reasonOf(error))
        })
        const text = await response.text().catch((error: unknown) => {
          throw new LaterError(reasonOf(error))
        })
        return read(data, response, text)
      }),
  }
}

const refusals = z.object({
  errors: z
    .array(
      z.object({
        message: z.string(),
        extensions: z.object({ code: z.string(), status: z.number().optional() }).optional(),
      }),
    )
    .min(1),
})

function read<S extends z.ZodType>(data: S, response: Response, text: string): z.output<S> {
  const body = jsonOf(text)
  const [refusal] = refusals.safeParse(body).data?.errors ?? []
  const status = refusal?.extensions?.status ?? response.status
  checkStatus(status, refusal?.message ?? `${response.url} answered ${status}`, response.headers.get('retry-after'))
  if (refusal) throw new RefusedError(refusal.extensions?.code ?? 'bad_request', refusal.message)
  const answer = data.safeParse(z.object({ data: z.unknown() }).safeParse(body).data?.data)
  if (!answer.success)
    throw new RefusedError('unknown', `${response.url} answered ${status}, and not as the service does`)
  return answer.data
}

/** Throws a `LaterError` for the statuses that pass. 503 says that something of the service is away. */
export function checkStatus(status: number, message: string, retryAfter: string | null | undefined): void {
  const ms = retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : null
  if (status === 429) throw new LaterError(message, { ms: ms ?? 1000, answer: 'busy' })
  if ([502, 503, 504].includes(status)) throw new LaterError(message, { ms, answer: 'partly' })
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
