import { isIP } from 'node:net'
import type { HttpRequest } from './message.ts'

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
export function isOwnHost(host: string | undefined, { names }: OwnPages): boolean {
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
