import { noSuchRoute } from '../errors.ts'
import type { Log } from '../model/log.ts'
import { fromFetch } from './fetch.ts'
import { withRequestId } from './handlers.ts'
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  idsOf,
  privateHeaders,
  splitTarget,
  withCallerHeaders,
  withFailures,
} from './message.ts'
import { createSignInGuard, ownPages, withCors } from './origin.ts'

export interface AuthHandlerOptions {
  /** The sign-in endpoints; `remoteAddress` is the peer of the socket. */
  handle(request: Request, remoteAddress: string | undefined): Promise<Response>
  /** Names the session cookie. */
  brand: string
  log: Log
  allowedOrigins: readonly string[]
  publicOrigin: string | null
}

/** Names, passwords and addresses are short. */
const bodyLimit = 64 * 1024

/** One-time links: a HEAD request, such as mail scanners send, must not use one up. */
const usedUp = ['/api/auth/verify-email', '/api/auth/callback/oidc']

/** Mounts the sign-in endpoints; mount it at `/api/auth/`. */
export function createAuthHandler(options: AuthHandlerOptions): Handler {
  const { handle, brand, log, allowedOrigins, publicOrigin } = options
  const guard = createSignInGuard({ brand, own: ownPages(publicOrigin, allowedOrigins) })
  const serve = fromFetch((fetched, { remoteAddress }) => handle(fetched, remoteAddress), bodyLimit)
  const handler: Handler = async (request) => {
    guard(request)
    if (request.method !== 'GET' && request.method !== 'POST') throw noSuchRoute(request.method, request.target)
    const { path } = splitTarget(request.target)
    const isLook = request.isHead && usedUp.includes(path)
    const response = isLook ? { status: 200, headers: {}, body: '' } : await serve(request)
    note(request, path, response, log)
    return { ...response, headers: { ...response.headers, ...privateHeaders } }
  }
  return withRequestId(withCors(withCallerHeaders(withFailures(handler, log), brand), allowedOrigins))
}

/** Endpoints that are named in the log and in metrics; the others are together: parts of their paths are chosen. */
const named = new Set(
  [
    'callback/oidc',
    'change-password',
    'error',
    'get-session',
    'request-password-reset',
    'reset-password',
    'sign-in/email',
    'sign-in/social',
    'sign-out',
    'sign-up/email',
    'verify-email',
  ].map((name) => `/api/auth/${name}`),
)

function note({ record }: HttpRequest, path: string, { status, body }: HttpResponse, log: Log): void {
  if (status !== 404) record.route = named.has(path) ? path : '/api/auth/{path}'
  if (status >= 400) record.error = codeIn(body)
  if (status >= 500) log.error({ err: new Error(`sign-in answered ${status}`), ...idsOf(record) }, 'a request failed')
}

/** The error code from our error shape or from the library's, in our spelling. */
function codeIn(body: HttpResponse['body']): string | null {
  const text = body instanceof Uint8Array ? Buffer.from(body).toString() : `${body}`
  const code = /"(?:error|code)":"([A-Za-z_]{1,64})"/.exec(text)?.[1]
  return code?.toLowerCase() ?? null
}
