import { forbidden, type ServiceError, unknownHost } from '../errors.ts'
import { sessionCookie } from '../model/brand.ts'
import { type HttpRequest, splitTarget } from './message.ts'
import { isOwnHost, type OwnPages } from './origin.ts'

type Headers = Readonly<Record<string, string>>

export interface SameOriginOptions {
  /** Names the session cookie. */
  brand: string
  own: OwnPages
}

export type SameOriginGuard = (headers: Headers) => void

/**
 * Refuses (403) a request that a page of another origin could have sent with the user's cookie. Reads are refused too:
 * their answers leak timings and sizes. A request with a bearer token is exempt, because no page can make a browser add
 * one.
 */
export function createSameOriginGuard({ brand, own }: SameOriginOptions): SameOriginGuard {
  const cookie = sessionCookie(brand)
  return (headers) => {
    if (!hasCookie(headers.cookie, cookie) || /^bearer\s/i.test(headers.authorization ?? '')) return
    require(problemOf(headers, own, 'a request with a session cookie must come from the same origin'))
  }
}

/**
 * Why a request is refused that a browser marks as sent by a page of another origin, with any credential; null for others.
 * A client that sends neither Origin nor Sec-Fetch-Site is not a browser. (Sec-Fetch-Mode alone does not show one:
 * `fetch` of Node sends it.)
 */
export const pageProblem = (headers: Headers, own: OwnPages): ServiceError | null =>
  isFromBrowser(headers) ? problemOf(headers, own, 'the request must come from a page of the same origin') : null

/** Where browsers arrive from another site: from the identity provider, or by a link in a mail. */
const arrivals = ['/api/auth/callback/oidc', '/api/auth/verify-email', '/api/auth/error']

/**
 * The same for the sign-in endpoints, but stricter: no page of another origin may sign anyone in or up, with or without
 * a cookie. Arrivals have their own secret and are allowed.
 */
export function createSignInGuard({ brand, own }: SameOriginOptions): (request: HttpRequest) => void {
  const cookie = sessionCookie(brand)
  return ({ method, target, headers }) => {
    if (method === 'GET' && arrivals.includes(splitTarget(target).path)) return
    if (!isFromBrowser(headers) && !hasCookie(headers.cookie, cookie)) return
    require(problemOf(headers, own, 'signing in requires a request from the same origin'))
  }
}

const isFromBrowser = (headers: Headers) => headers.origin !== undefined || headers['sec-fetch-site'] !== undefined

function require(problem: ServiceError | null): void {
  if (problem !== null) throw problem
}

/** Null for requests by pages of this service or of an allowed origin, and for addresses that the user typed. */
function problemOf(headers: Headers, own: OwnPages, detail: string): ServiceError | null {
  const { origin, host } = headers
  if (origin !== undefined && own.origins.includes(origin)) return null
  // A page under a stranger's name that leads here is of the same origin, too.
  if (!isOwnHost(host, own)) return unknownHost()
  const site = headers['sec-fetch-site']
  const isSame = site === undefined ? sameHost(origin, host) : site === 'same-origin' || site === 'none'
  return isSame ? null : forbidden(detail)
}

/** Some servers set a session cookie under a prefixed name behind TLS: `__Secure-` or `__Host-`. */
function hasCookie(header: string | undefined, name: string): boolean {
  return (header ?? '').split(';').some((pair) => {
    const found = pair.slice(0, Math.max(pair.indexOf('='), 0)).trim()
    return found === name || found === `__Secure-${name}` || found === `__Host-${name}`
  })
}

function sameHost(origin: string | undefined, host: string | undefined): boolean {
  const page = URL.parse(origin ?? '')
  return page !== null && host !== undefined && URL.parse(`${page.protocol}//${host}`)?.origin === page.origin
}
