import { forbidden } from '../errors.ts'
import { sessionCookie } from '../model/brand.ts'
import { type HttpRequest, splitTarget } from './message.ts'

export interface SameOriginOptions {
  /** Names the session cookie. */
  brand: string
  /** Other origins whose pages may send requests for a signed-in user, as `scheme://host[:port]`. */
  allowedOrigins?: readonly string[]
}

export type SameOriginGuard = (headers: Readonly<Record<string, string>>) => void

/**
 * Refuses (403) a request that a page of another origin could have sent with the user's cookie. Reads are refused too:
 * their answers leak timings and sizes. A request with a bearer token is exempt, because no page can make a browser add
 * one.
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
 * True for a request that a browser marks as sent by a page of another origin, with any credential. A client that sends
 * neither Origin nor Sec-Fetch-Site is not a browser.
 */
export function isForeignPage(headers: Readonly<Record<string, string>>, allowedOrigins: readonly string[]): boolean {
  return isFromBrowser(headers) && !isOwn(headers, allowedOrigins)
}

/** Where browsers arrive from another site: from the identity provider, or by a link in a mail. */
const arrivals = ['/api/auth/callback/oidc', '/api/auth/verify-email', '/api/auth/error']

/**
 * The same for the sign-in endpoints, but stricter: no page of another origin may sign anyone in or up, with or without
 * a cookie. Arrivals have their own secret and are allowed.
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

/** True for requests by pages of this origin or an allowed one, and for addresses that the user typed. */
function isOwn(headers: Readonly<Record<string, string>>, allowedOrigins: readonly string[]): boolean {
  const { origin, host } = headers
  if (origin !== undefined && allowedOrigins.includes(origin)) return true
  const site = headers['sec-fetch-site']
  return site === undefined ? sameHost(origin, host) : site === 'same-origin' || site === 'none'
}

/** Some servers set a session cookie under a prefixed name behind TLS: `__Secure-` or `__Host-`. */
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
