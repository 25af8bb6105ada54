import { ServiceError } from '../errors.ts'
import { withCors } from './cors.ts'
import { createSameOriginGuard } from './csrf.ts'
import { type Fetch, fromFetch } from './fetch.ts'
import { internalError, json, privateHeaders } from './json.ts'
import type { Log } from './log.ts'
import type { Handler } from './message.ts'
import { withRequestId } from './request-id.ts'

export interface GraphqlHandlerOptions {
  /** The GraphQL engine. */
  fetch: Fetch
  /** Names the session cookie. */
  brand: string
  log: Log
  allowedOrigins?: readonly string[]
  /** 16 MiB unless given. */
  maxBodyBytes?: number
}

/** The GraphQL door: the same guards as the REST door, and its errors in GraphQL's shape. */
export function createGraphqlHandler(options: GraphqlHandlerOptions): Handler {
  const { fetch, brand, log, allowedOrigins = [], maxBodyBytes } = options
  const guard = createSameOriginGuard({ brand, allowedOrigins })
  const serve = fromFetch(fetch, maxBodyBytes)
  const handler: Handler = async (request) => {
    try {
      guard(request.headers)
      const response = await serve(request)
      return { ...response, headers: { ...privateHeaders, ...response.headers } }
    } catch (error) {
      if (!(error instanceof ServiceError)) {
        log.error({ err: error, requestId: request.headers['x-request-id'] }, 'the GraphQL endpoint failed')
      }
      return graphqlError(error instanceof ServiceError ? error : internalError())
    }
  }
  return withRequestId(withCors(handler, allowedOrigins))
}

function graphqlError({ detail, code, status }: ServiceError) {
  return json(status, { errors: [{ message: detail, extensions: { code, status } }] })
}
