import { forbidden } from '../errors.ts'
import { sessionCookie } from '../model/brand.ts'
import { type HttpRequest, splitTarget } from './message.ts'

export interface SameOriginOptions {
  /** Names the session cookie. */
  brand: string
  /** Other origins whose pages may act for a signed-in user, as `scheme://host[:port]`. */
  allowedOrigins?: readonly string[]
}

export type SameOriginGuard = (headers: Readonly<Record<string, string>>) => void

/**
 * Refuses (403) a request that a foreign page could have sent with the user's cookie. Reads count too: their
 * answers have timings and sizes. A request with a bearer token is exempt, because no page can make a browser add one.
 */
export function createSameOriginGuard({ brand, allowedOrigins = [] }: SameOriginOptions): SameOriginGuard {
  const cookie = sessionCookie(brand)
  return (headers) => {
    if (!hasCookie(headers.cookie, cookie) || /^bearer\s/i.test(headers.authorization ?? '')) return
    if (!isOwn(headers, allowedOrigins)) {
      throw forbidden('a request with a session cookie must come from the same origin')
    }
  }
}

/**
 * True for a request that a browser says comes from a page of another origin, whatever credential it bears. What sends
 * neither Origin nor Sec-Fetch-Site is not a browser.
 */
export function isForeignPage(headers: Readonly<Record<string, string>>, allowedOrigins: readonly string[]): boolean {
  return isFromBrowser(headers) && !isOwn(headers, allowedOrigins)
}

/** Where browsers arrive from another site: back from the identity provider, or by a link in a mail. */
const arrivals = ['/api/auth/callback/oidc', '/api/auth/verify-email', '/api/auth/error']

/**
 * The same for the sign-in endpoints, and stricter: no foreign page may sign anybody in or up either, cookie or not.
 * Arrivals carry a secret of their own and are let through.
 */
export function createSignInGuard({ brand, allowedOrigins = [] }: SameOriginOptions): (request: HttpRequest) => void {
  const cookie = sessionCookie(brand)
  return ({ method, target, headers }) => {
    if (method === 'GET' && arrivals.includes(splitTarget(target).path)) return
    if (!isFromBrowser(headers) && !hasCookie(headers.cookie, cookie)) return
    if (!isOwn(headers, allowedOrigins)) throw forbidden('signing in requires a request from the same origin')
  }
}

const isFromBrowser = (headers: Readonly<Record<string, string>>) =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

/** True for what pages of this origin or of an allowed one send, and for addresses that the user typed. */
function isOwn(headers: Readonly<Record<string, string>>, allowedOrigins: readonly string[]): boolean {
  const { origin, host } = headers
  if (origin !== undefined && allowedOrigins.includes(origin)) return true
  const site = headers['sec-fetch-site']
  return site === undefined ? sameHost(origin, host) : site === 'same-origin' || site === 'none'
}

/** Some set a session cookie under a prefixed name behind TLS: `__Secure-` or `__Host-`. */
function hasCookie(header: string | undefined, name: string): boolean {
  return (header ?? '').split(';').some((pair) => {
    const found = pair.slice(0, Math.max(pair.indexOf('='), 0)).trim()
    return found === name || found === `__Secure-${name}` || found === `__Host-${name}`
  })
}

function sameHost(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined || host === undefined || !URL.canParse(origin)) return false
  return new URL(origin).host === host.toLowerCase()
}
