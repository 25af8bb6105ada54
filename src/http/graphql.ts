import { ServiceError } from '../errors.ts'
import type { Log } from '../model/log.ts'
import { withCors } from './cors.ts'
import { createSameOriginGuard } from './csrf.ts'
import { toServiceError } from './failures.ts'
import { fromFetch, type MountedFetch } from './fetch.ts'
import { json, privateHeaders } from './json.ts'
import type { Handler, HttpResponse } from './message.ts'
import { withRequestId } from './request-id.ts'

export interface GraphqlHandlerOptions {
  /** The GraphQL engine. */
  fetch: MountedFetch
  /** Names the session cookie. */
  brand: string
  log: Log
  allowedOrigins?: readonly string[]
  /** What every answer of the engine contains next to its errors. Errors before the engine contain it too. */
  extensions?: Readonly<Record<string, unknown>>
}

/** The GraphQL API: the same guards as the REST API, and its errors in GraphQL's shape. */
export function createGraphqlHandler(options: GraphqlHandlerOptions): Handler {
  const { fetch, brand, log, allowedOrigins = [], extensions } = options
  const guard = createSameOriginGuard({ brand, allowedOrigins })
  const serve = fromFetch(fetch)
  const handler: Handler = async (request) => {
    try {
      if (request.method !== 'GET' && request.method !== 'POST') throw methodNotAllowed()
      guard(request.headers)
      const response = await serve(request)
      return { ...response, headers: { ...privateHeaders, ...response.headers } }
    } catch (error) {
      return graphqlError(toServiceError(error, request, log), extensions)
    }
  }
  return withRequestId(withCors(handler, allowedOrigins))
}

const methodNotAllowed = () => new ServiceError('method_not_allowed', 'the method must be GET or POST')

function graphqlError(
  { detail, code, status }: ServiceError,
  extensions: GraphqlHandlerOptions['extensions'],
): HttpResponse {
  const response = json(status, { errors: [{ message: detail, extensions: { code, status } }], extensions })
  return status === 405 ? { ...response, headers: { ...response.headers, allow: 'GET, HEAD, POST' } } : response
}
