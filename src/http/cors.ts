import type { Handler, HttpResponse } from './message.ts'

/**
 * Allows pages of the configured origins to call `handler` with credentials. Without configured origins no header is
 * added, so browsers block every other origin.
 */
export function withCors(handler: Handler, allowedOrigins: readonly string[] = []): Handler {
  if (allowedOrigins.length === 0) return handler
  return async (request) => {
    const { origin } = request.headers
    if (origin === undefined || !allowedOrigins.includes(origin)) return varying(await handler(request))
    const shared = { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' }
    const wanted = request.headers['access-control-request-method']
    if (request.method === 'OPTIONS' && wanted !== undefined) {
      return varying({ status: 204, headers: { ...shared, ...preflight(request.headers) }, body: '' })
    }
    const response = await handler(request)
    const exposed = { 'access-control-expose-headers': 'x-request-id' }
    return varying({ ...response, headers: { ...response.headers, ...shared, ...exposed } })
  }
}

/** With credentials, `*` has no effect: the requested headers are listed one by one. */
function preflight(headers: Readonly<Record<string, string>>): Record<string, string> {
  const asked = headers['access-control-request-headers']
  return {
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-max-age': '600',
    ...(asked === undefined ? {} : { 'access-control-allow-headers': asked }),
  }
}

/** A cache must not serve one origin's answer to another. */
function varying(response: HttpResponse): HttpResponse {
  const others = [response.headers.vary ?? []].flat()
  return { ...response, headers: { ...response.headers, vary: [...others, 'Origin'].join(', ') } }
}
