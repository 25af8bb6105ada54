import { notFound, ServiceError } from '../errors.ts'
import type { Log } from '../model/log.ts'
import { type SentKey, scopeHeader } from '../model/request.ts'
import { fromFetch } from './fetch.ts'
import { names, withRequestId } from './handlers.ts'
import {
  exposedHeaders,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  idempotencyKey,
  json,
  privateHeaders,
  splitTarget,
  toServiceError,
  withCallerHeaders,
} from './message.ts'
import { createSameOriginGuard, credentialOf, ownPages, withCors } from './origin.ts'
import { createPlayground } from './playground.ts'

interface Keyed {
  /** The key of a write. Throws a 400 for one that is malformed. */
  sentKey(): Promise<SentKey | null>
}

export interface GraphqlHandlerOptions {
  /** The GraphQL engine. */
  fetch(request: Request, original: HttpRequest & Keyed): Promise<Response>
  /** Finds out who is calling, before the body is read. If it rejects, so does the engine. */
  identify?(request: HttpRequest): Promise<unknown>
  /** Names the session cookie. */
  brand: string
  log: Log
  allowedOrigins?: readonly string[]
  publicOrigin?: string | null
  /** What every answer of the engine contains next to its errors. Errors before the engine contain it too. */
  extensions?: Readonly<Record<string, unknown>>
  /** Serve GraphiQL to browsers; else it is not found. */
  playground?: boolean
}

/** The GraphQL API: the same guards as the REST API, and its errors in GraphQL's shape. */
export function createGraphqlHandler(options: GraphqlHandlerOptions): Handler {
  const { fetch, identify, brand, log, allowedOrigins = [], publicOrigin = null, extensions, playground } = options
  const guard = createSameOriginGuard({ brand, own: ownPages(publicOrigin, allowedOrigins) })
  const scopeName = scopeHeader(brand).toLowerCase()
  const page = createPlayground()
  const serve = fromFetch((fetched, original) => {
    const { method, target, headers } = original
    const sentKey = async (): Promise<SentKey | null> => {
      const key = method === 'POST' ? idempotencyKey(headers) : null
      if (key === null) return null
      const { path, query } = splitTarget(target)
      const body = new Uint8Array(await fetched.arrayBuffer())
      const request = [method, path, query, headers[scopeName] ?? '', body]
      return { key, credential: credentialOf(headers, brand), request }
    }
    return fetch(fetched, { ...original, sentKey })
  })
  const handler: Handler = async (request) => {
    let denied: unknown = null
    try {
      if (request.method !== 'GET' && request.method !== 'POST') throw methodNotAllowed()
      guard(request.headers)
      if (wantsPage(request)) {
        request.record.fields = []
        // The same page for everyone.
        if (playground) return await page(request)
        throw notFound('the document is missing: GraphiQL is off, so a request must name a persisted document')
      }
      // Without a valid credential a long body is refused. The engine says what is wrong with it, with the operation's cost.
      if (request.method === 'POST' && credentialOf(request.headers, brand) !== '')
        await identify?.(request).catch((error) => {
          denied = error
        })
      const response = await serve(request)
      return { ...response, headers: { ...response.headers, ...privateHeaders } }
    } catch (error) {
      return graphqlError(toServiceError(denied ?? error, request, log), extensions)
    }
  }
  return withRequestId(withCors(withCallerHeaders(handler, brand), allowedOrigins, { exposed: exposedHeaders(brand) }))
}

/** A browser that names no document. */
function wantsPage({ method, target, headers }: HttpRequest): boolean {
  const parameters = new URLSearchParams(splitTarget(target).query)
  const namesDocument = ['query', 'documentId', 'extensions'].some((name) => parameters.has(name))
  return method === 'GET' && names(headers.accept, 'text/html') && !namesDocument
}

const methodNotAllowed = () => new ServiceError('method_not_allowed', 'the method must be GET or POST')

function graphqlError(
  { detail, code, status }: ServiceError,
  extensions: GraphqlHandlerOptions['extensions'],
): HttpResponse {
  const response = json(status, { errors: [{ message: detail, extensions: { code, status } }], extensions })
  return status === 405 ? { ...response, headers: { ...response.headers, allow: 'GET, HEAD, POST' } } : response
}
