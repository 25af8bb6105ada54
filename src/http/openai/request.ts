import { badRequest, type ServiceError } from '../../errors.ts'
import { type HttpResponse, json } from '../message.ts'
import type { SurfaceCaller } from '../rest/surface.ts'

/** A request, as an endpoint of OpenAI's API reads it. */
export interface OpenAiRequest {
  caller: SurfaceCaller
  /** The model of the plane `text`. */
  embeddingModel: string
  /** Decoded parameters of the path. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  headers: Readonly<Record<string, string>>
  /** The body as JSON; `{}` without one. */
  body(): Promise<Record<string, unknown>>
  bytes(): Promise<Uint8Array>
  /** The data of the last event of a stream that fails. */
  failureOf(error: unknown): OpenAiError
}

export interface OpenAiRoute {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below `/openai/v1`, with `:name` parameters. `:scope` is where the request works. */
  path: string
  answer(request: OpenAiRequest): Promise<HttpResponse>
}

export interface OpenAiError {
  error: { message: string; type: string; code: string; param: string | null }
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  429: 'rate_limit_error',
}

/** The error in OpenAI's shape: with our code, and the field that a detail begins with. */
export const errorOf = ({ code, status, detail }: ServiceError): OpenAiError => ({
  error: {
    message: detail,
    type: types[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error'),
    code,
    param: status === 400 || status === 404 ? (/^([a-z_]+[\w.[\]]*): /.exec(detail)?.[1] ?? null) : null,
  },
})

/** Seconds, as OpenAI counts time. */
export const seconds = (ms: number): number => Math.floor(ms / 1000)

const maxPage = 100

/**
 * The page of a whole list that `limit`, `after` and `before` select, and no more of the list is read than that takes.
 * A page has at most 100 items, whatever `maxLimit` lets a client ask for.
 */
export async function listOf<T>(
  all: Iterable<T> | AsyncIterable<T>,
  idOf: (item: T) => string,
  query: URLSearchParams,
  show: (page: T[]) => object[] | Promise<object[]>,
  maxLimit = maxPage,
): Promise<HttpResponse> {
  const limit = Number(query.get('limit') ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    throw badRequest(`limit: must be an integer between 1 and ${maxLimit}`)
  const [after, before] = [query.get('after'), query.get('before')]
  const size = Math.min(limit, maxPage)
  const items: T[] = []
  let isAfter = after === null
  let isBefore = before === null
  for await (const item of all) {
    if (idOf(item) === before) {
      isBefore = true
      break
    }
    if (isAfter) items.push(item)
    isAfter ||= idOf(item) === after
    if (before === null && items.length > size) break
  }
  const missing = isAfter ? (isBefore ? null : 'before') : 'after'
  if (missing) throw badRequest(`${missing}: must be the id of an item of the list`)
  // Those next to the item that bounds the page.
  const page = before === null ? items.slice(0, size) : items.slice(-size)
  const ids = page.map(idOf)
  return json(200, {
    object: 'list',
    data: await show(page),
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
    has_more: items.length > size,
  })
}
