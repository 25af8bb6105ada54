import { z } from 'zod'
import { parseJson } from '../../model/json.ts'
import { RefusedError } from '../../model/operator-error.ts'
import { reasonOf } from './command.ts'
import { headersOf, type Service, UnreachableError } from './service.ts'

/** An attempt that may succeed later. `ms`: when the service wants it again, if it says so. */
export class LaterError extends UnreachableError {
  readonly ms: number | null
  /** `busy`: it has too much to do; `partly`: something of the service is away; `none`: there was no answer. */
  readonly answer: 'busy' | 'partly' | 'none'

  constructor(message: string, { ms = null, answer = 'none' }: Partial<Pick<LaterError, 'ms' | 'answer'>> = {}) {
    super(message)
    this.ms = ms
    this.answer = answer
  }
}

const requestMs = 60_000

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

/**
 * The data of a GraphQL operation. Throws a `RefusedError` with the service's message, also for an answer that is not the
 * service's, and a `LaterError` where another attempt may succeed.
 */
export async function ask<S extends z.ZodType>(
  service: Service,
  data: S,
  query: string,
  variables: object,
): Promise<z.output<S>> {
  const { response, text } = await send(service, query, variables).catch((error: unknown) => {
    throw new LaterError(reasonOf(error))
  })
  const body = parseJson(text)
  const [refusal] = refusals.safeParse(body).data?.errors ?? []
  const status = refusal?.extensions?.status ?? response.status
  checkStatus(status, refusal?.message ?? `${response.url} answered ${status}`, response.headers.get('retry-after'))
  if (refusal) throw new RefusedError(refusal.message, refusal.extensions?.code ?? 'bad_request')
  const answer = data.safeParse(z.object({ data: z.unknown() }).safeParse(body).data?.data)
  if (!answer.success) throw new RefusedError(`${response.url} answered ${status}, and not as the service does`)
  return answer.data
}

async function send(service: Service, query: string, variables: object): Promise<{ response: Response; text: string }> {
  const response = await post(service, query, variables, AbortSignal.timeout(requestMs))
  return { response, text: await response.text() }
}

const post = (service: Service, query: string, variables: object, signal: AbortSignal, headers: object = {}) =>
  fetch(new URL('/graphql', service.url), {
    method: 'POST',
    headers: { ...headersOf(service), 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
    signal,
  })

/** The service sends a line at least this often. */
const quietMs = 60_000

/** Whether a subscription was given and has completed without an error. Its events are not read. */
export async function completes(service: Service, query: string, variables: object): Promise<boolean> {
  const ended = new AbortController()
  const timer = setTimeout(() => ended.abort(), quietMs)
  try {
    const response = await post(service, query, variables, ended.signal, { accept: 'text/event-stream' })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (!response.ok || !isStream) return false
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      timer.refresh()
      text += decoder.decode(chunk, { stream: true })
      if (/"errors":/.test(text)) return false
      if (/^event: *complete$/m.test(text)) return true
      text = text.slice(text.lastIndexOf('\n') + 1)
    }
    return false
  } catch {
    return false
  } finally {
    clearTimeout(timer)
    ended.abort()
  }
}

/**
 * Throws a `LaterError` for the statuses that pass: 408 and 425 are about one request, 503 says that something of the
 * service is away, 502 and 504 that something before it is.
 */
export function checkStatus(status: number, message: string, retryAfter: string | null | undefined): void {
  const ms = retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : null
  if (status === 429) throw new LaterError(message, { ms: ms ?? 1000, answer: 'busy' })
  if ([408, 425, 502, 503, 504].includes(status)) throw new LaterError(message, { ms, answer: 'partly' })
}
