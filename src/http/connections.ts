import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { badRequest, noSuchRoute, ServiceError } from '../errors.ts'
import type { Log } from '../model/log.ts'
import { errorBody, json } from './message.ts'

/** Connections beyond the maximum, for probes: an eighth of few connections. */
const maxReserved = 128

export interface Connections {
  /**
   * A request has begun on this connection. The result is to be called when its answer ended. `ended` is called once: then,
   * or when the connection closes. An answer that waits behind another one on its connection does not notice that.
   */
  begin(socket: Duplex, ended: () => void): () => void
  /** 503 where more than the normal maximum is open. */
  refusal(): ServiceError | null
}

/**
 * Keeps the service reachable at the maximum of connections. A new one then takes the place of the one that has been open
 * for longest without a request, else of the one that has been unused for longest. If all are in use, some more serve
 * probes. Connections are not counted by address: behind a proxy all of them come from one.
 */
export function limitConnections(server: Server, max: number, log: Log): Connections {
  const reserved = Math.min(maxReserved, Math.floor(max / 8))
  const normal = max - reserved
  server.maxConnections = max
  /** Without those that are being closed. */
  const open = new Set<Duplex>()
  /** In the order in which they opened, and became idle. */
  const unused = new Set<Duplex>()
  const idle = new Set<Duplex>()
  const running = new WeakMap<Duplex, Set<() => void>>()
  const warn = atMostOnceAMinute(() => log.warn({}, 'connections are closed or refused: the maximum number is open'))

  const forget = (socket: Duplex): void => {
    for (const set of [open, unused, idle]) set.delete(socket)
  }

  server.on('drop', warn)
  server.on('connection', (socket: Socket) => {
    if (open.size >= normal) {
      const [oldest] = unused.size > 0 ? unused : idle
      oldest?.destroy()
      if (oldest) forget(oldest)
      warn()
    }
    open.add(socket)
    unused.add(socket)
    socket.once('close', () => {
      forget(socket)
      for (const end of running.get(socket) ?? []) end()
    })
  })
  return {
    begin: (socket, ended) => {
      unused.delete(socket)
      idle.delete(socket)
      const requests = running.get(socket) ?? new Set()
      running.set(socket, requests)
      const end = () => {
        if (!requests.delete(end)) return
        if (requests.size === 0 && !socket.destroyed) idle.add(socket)
        ended()
      }
      requests.add(end)
      return end
    },
    refusal: () => {
      if (open.size <= normal) return null
      const detail = 'all connections of the service are in use: send the request again later'
      return new ServiceError('overloaded', detail, { retryAfter: 1 })
    },
  }
}

function atMostOnceAMinute(act: () => void): () => void {
  let actedAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - actedAt < 60_000) return
    actedAt = now
    act()
  }
}

export interface ParserError extends NodeJS.ErrnoException {
  /** The bytes that the parser was reading. */
  rawPacket?: Buffer
}

/** The error when the parser fails on a connection, or its request times out. */
export function parserFailure({ code, rawPacket }: ParserError): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('request_timeout', 'the request took too long to arrive: send it again')
  }
  const [, method, target] = code === 'HPE_INVALID_METHOD' ? (firstLine.exec(textOf(rawPacket)) ?? []) : []
  // The parser knows the registered methods alone.
  if (method !== undefined && target !== undefined) return noSuchRoute(method, target)
  if (code !== 'HPE_HEADER_OVERFLOW') return badRequest('the request must be well-formed HTTP')
  return isWithinTarget(rawPacket)
    ? new ServiceError('uri_too_long', 'the request target must be at most 8 KiB')
    : new ServiceError('headers_too_large', 'the headers must be at most 16 KiB')
}

const textOf = (packet: Buffer | undefined) => packet?.toString('latin1') ?? ''

/** RFC 9112, with a method of any name. */
const firstLine = /^([!#$%&'*+.^`|~\w-]{1,64}) ([!-~]+) HTTP\/1\.[01]\r\n/

/** True while the first line has not ended. */
const isWithinTarget = (packet: Buffer | undefined) => /^[A-Z]+ [^\r\n]*$/.test(textOf(packet))

/** How long a client may continue to send after it was refused. */
const lingerMs = 2_000

/** Answers on a socket that has no request: in the one error shape, with an id. Then the connection ends. */
export function endWith(socket: Duplex, failure: ServiceError): { requestId: string } {
  const requestId = randomUUID()
  const { status, headers, body } = json(failure.status, errorBody(failure))
  const lines = Object.entries({
    ...headers,
    'x-request-id': requestId,
    connection: 'close',
    'content-length': `${Buffer.byteLength(`${body}`)}`,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  setTimeout(() => socket.destroy(), lingerMs).unref()
  return { requestId }
}

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
