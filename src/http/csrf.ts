import { forbidden } from '../errors.ts'

export interface SameOriginOptions {
  /** Names the session cookie: `<brand>.session_token`. */
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
  const cookie = `${brand}.session_token`
  return (headers) => {
    if (!hasCookie(headers.cookie, cookie) || /^bearer\s/i.test(headers.authorization ?? '')) return
    const { origin, host } = headers
    if (origin !== undefined && allowedOrigins.includes(origin)) return
    const site = headers['sec-fetch-site']
    const same = site === undefined ? sameHost(origin, host) : site === 'same-origin' || site === 'none'
    if (!same) throw forbidden('a request with a session cookie must come from the same origin')
  }
}

/** Behind TLS the cookie's name carries a prefix: `__Secure-` or `__Host-`. */
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
