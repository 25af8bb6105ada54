import type { IncomingMessage } from 'node:http'
import { badRequest, ServiceError } from '../errors.ts'

/** Maximum of the request target, in bytes. */
const maxTarget = 8 * 1024
/** Maximum of all header names and values together, in bytes. */
const maxHeaders = 16 * 1024

/** Beyond this the parser fails and cannot say what was too long. Below it, the check below says so. */
export const maxParsedHead = 128 * 1024

/** What is wrong with the head of a request, on any route; null when it is valid. */
export function headProblem({ url = '', httpVersion, rawHeaders }: IncomingMessage): ServiceError | null {
  if (url.length > maxTarget) return new ServiceError('uri_too_long', 'the request target must be at most 8 KiB')
  const hosts: string[] = []
  let length = 0
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]]
    length += name.length + value.length
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(value)
  }
  if (length > maxHeaders) return new ServiceError('headers_too_large', 'the headers must be at most 16 KiB')
  if (hosts.length > 1) return badRequest('the header Host must be sent once')
  if (hosts.length === 0 && httpVersion === '1.1') return badRequest('the header Host is required')
  if (!hosts.every(isHost)) return badRequest('the header Host must be a host with an optional port')
  return isTarget(url) ? null : badRequest('the request target must be a path or an absolute http address')
}

/** An empty host is allowed: clients send it for a target without an authority. */
function isHost(host: string): boolean {
  if (/^[A-Za-z0-9._-]*(:\d{0,5})?$/.test(host)) return true
  return !/[\s/?#@\\]/.test(host) && URL.canParse(`http://${host}`)
}

/**
 * The address of an absolute target must not name a user: `http://user:password@host/` is used to impersonate sites.
 */
function isTarget(target: string): boolean {
  if (target.startsWith('/') || target === '*') return true
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return false
  const { username, password } = new URL(target)
  return username === '' && password === ''
}
