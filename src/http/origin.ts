import { isIP } from 'node:net'
import { forbidden, type ServiceError, unknownHost } from '../errors.ts'
import { sessionCookie } from '../model/request.ts'
import { type Handler, type HttpRequest, type HttpResponse, splitTarget } from './message.ts'

/** Where the service is reached: its public origin, else where the request came to. */
export const baseOf = ({ headers }: Pick<HttpRequest, 'headers'>, publicOrigin: string | null): string =>
  publicOrigin ?? `http://${headers.host ?? 'localhost'}`

/** Which pages are the service's own. */
export interface OwnPages {
  /** Origins whose pages may send requests for a signed-in user, whatever name the request came to. */
  origins: readonly string[]
  /** The names that the operator gave the service, without ports. */
  names: ReadonlySet<string>
}

export function ownPages(publicOrigin: string | null, allowedOrigins: readonly string[]): OwnPages {
  const origins = publicOrigin === null ? allowedOrigins : [publicOrigin, ...allowedOrigins]
  return { origins, names: new Set(origins.map((origin) => hostnameOf(new URL(origin).host))) }
}

/**
 * Whether a request to this `Host` came to the service by its own name: one that the operator set, a loopback name or an
 * IP address. Any other name may belong to a stranger, who lets it lead here (DNS rebinding): to a browser the stranger's
 * page and the service then have the same origin.
 */
function isOwnHost(host: string | undefined, { names }: OwnPages): boolean {
  const name = hostnameOf(host)
  return isLoopback(name) || isIP(name) !== 0 || names.has(name)
}

export const isLoopbackHost = (host: string | undefined): boolean => isLoopback(hostnameOf(host))

/** RFC 6761: no name below `localhost` leads elsewhere. */
const isLoopback = (name: string): boolean => /^((.+\.)?localhost|127(\.\d+){3}|::1)$/.test(name)

/** The host without its port, as URLs write it: lower case, addresses in their usual form. Empty if not a host. */
function hostnameOf(host = ''): string {
  const hostname = URL.parse(`http://${host}`)?.hostname ?? ''
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

interface CorsOptions {
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

type Headers = Readonly<Record<string, string>>

interface SameOriginOptions {
  /** Names the session cookie. */
  brand: string
  own: OwnPages
}

type SameOriginGuard = (headers: Headers) => void

/**
 * Refuses (403) a request that a page of another origin could have sent with the user's cookie. Reads are refused too:
 * their answers leak timings and sizes. A request with a bearer token is exempt, because no page can make a browser add
 * one.
 */
export function createSameOriginGuard({ brand, own }: SameOriginOptions): SameOriginGuard {
  const cookie = sessionCookie(brand)
  return (headers) => {
    if (cookieOf(headers.cookie, cookie) === undefined || /^bearer\s/i.test(headers.authorization ?? '')) return
    require(problemOf(headers, own, 'a request with a session cookie must come from the same origin'))
  }
}

/**
 * Why a request is refused that a browser marks as sent by a page of another origin, with any credential; null for others.
 * A client that sends neither Origin nor Sec-Fetch-Site is not a browser. (Sec-Fetch-Mode alone does not show one:
 * `fetch` of Node sends it.)
 */
export const pageProblemOf =
  (own: OwnPages) =>
  (headers: Headers): ServiceError | null =>
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
    if (!isFromBrowser(headers) && cookieOf(headers.cookie, cookie) === undefined) return
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

/** The value of a session cookie; undefined without one. Some servers set it under a prefixed name behind TLS. */
function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=')
    const found = pair.slice(0, Math.max(at, 0)).trim()
    if (found.replace(/^__(Secure|Host)-/, '') === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

function sameHost(origin: string | undefined, host: string | undefined): boolean {
  const page = URL.parse(origin ?? '')
  return page !== null && host !== undefined && URL.parse(`${page.protocol}//${host}`)?.origin === page.origin
}

/** What a request identifies its caller by: a bearer token, else a session's cookie. Empty if it has neither. */
export function credentialOf({ authorization, cookie }: Readonly<Record<string, string>>, brand: string): string {
  if (authorization !== undefined) return `bearer ${authorization.replace(/^bearer +/i, '').trim()}`
  const session = cookieOf(cookie, sessionCookie(brand))
  return session === undefined ? '' : `cookie ${session}`
}
