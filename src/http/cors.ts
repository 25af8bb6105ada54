import type { Handler, HttpResponse } from './message.ts'

export interface CorsOptions {
  methods?: readonly string[]
  /** Headers of answers that pages may read, besides X-Request-Id. */
  exposed?: readonly string[]
}

/**
 * Allows pages of the configured origins to call `handler` with credentials. Without configured origins no header is
 * added, so browsers block every other origin.
 */
export function withCors(
  handler: Handler,
  allowedOrigins: readonly string[] = [],
  { methods = ['GET', 'POST', 'DELETE'], exposed = [] }: CorsOptions = {},
): Handler {
  if (allowedOrigins.length === 0) return handler
  return async (request) => {
    const { origin } = request.headers
    if (origin === undefined || !allowedOrigins.includes(origin)) return varying(await handler(request))
    const shared = { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' }
    const wanted = request.headers['access-control-request-method']
    if (request.method === 'OPTIONS' && wanted !== undefined) {
      return varying({ status: 204, headers: { ...shared, ...preflight(request.headers, methods) }, body: '' })
    }
    const response = await handler(request)
    const readable = { 'access-control-expose-headers': ['x-request-id', ...exposed].join(', ') }
    return varying({ ...response, headers: { ...response.headers, ...shared, ...readable } })
  }
}

/** With credentials, `*` has no effect: the requested headers are listed one by one. */
function preflight(headers: Readonly<Record<string, string>>, methods: readonly string[]): Record<string, string> {
  const requested = headers['access-control-request-headers']
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-max-age': '600',
    ...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
  }
}

/** A cache must not serve one origin's answer to another. */
function varying(response: HttpResponse): HttpResponse {
  const others = [response.headers.vary ?? []].flat()
  return { ...response, headers: { ...response.headers, vary: [...others, 'Origin'].join(', ') } }
}
