import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { badRequest, noSuchRoute, ServiceError } from '../errors.ts'
import type { Log } from '../model/log.ts'
import { traceParentOf } from '../model/request.ts'
import type { RequestRoom } from './buffers.ts'
import {
  errorBody,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  json,
  newRecord,
  readLimited,
  requirePlainBody,
} from './message.ts'

/** How long a client may read nothing of an answer. */
const unreadMs = 60_000

/** A request whose body and answer are counted in `room`. */
export function toRequest(incoming: IncomingMessage, room: RequestRoom): HttpRequest {
  const headers = headersOf(incoming)
  const record = { ...newRecord(), traceId: traceParentOf(headers.traceparent)?.traceId ?? null, room }
  const chunks = () => {
    requirePlainBody(headers)
    return readChunks(incoming)
  }
  return {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers,
    remoteAddress: incoming.socket.remoteAddress,
    body: async (limit) => readBody(chunks(), { record }, room, limit),
    chunks,
    record,
  }
}

/** Node joins the values of a name that was sent several times, except those of `set-cookie`. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const cookies = headers['set-cookie']
  return (cookies === undefined ? headers : { ...headers, 'set-cookie': cookies.join(', ') }) as Record<string, string>
}

/** How long a whole body may take that is read into memory, and how long nothing of it may come. */
const bodyMs = 300_000
const silentMs = 30_000

async function readBody(
  chunks: AsyncIterable<Uint8Array>,
  request: Pick<HttpRequest, 'record'>,
  room: RequestRoom,
  limit?: number,
): Promise<Uint8Array> {
  room.requireFew()
  const expired = Promise.withResolvers<never>()
  const late = () =>
    expired.reject(new ServiceError('request_timeout', 'the body took too long to arrive: send the request again'))
  const until = performance.now() + bodyMs
  let isWaiting = false
  // While it waits for room, the service does not read: the client is not silent.
  const timer = setTimeout(() => (isWaiting ? timer.refresh() : late()), silentMs)
  const counted = {
    read: async (bytes: number) => {
      const left = until - performance.now()
      if (left <= 0) late()
      isWaiting = true
      await room.read(bytes, left)
      isWaiting = false
      timer.refresh()
    },
    finish: () => room.finish(),
  }
  try {
    return await Promise.race([readLimited(chunks, request, limit, counted), expired.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function* readChunks(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // The stream must stay open when a body is cut off: the answer uses the same socket.
    yield* incoming.iterator({ destroyOnReturn: false })
  } catch {
    throw badRequest('the body ended before its declared length: send all of it')
  }
}

/** What a stream has in memory, about: a piece and what the socket takes. */
const streamBytes = 64 * 1024

/** Counts the answer, and no longer the body. Refuses what there is no room for, to a caller without a credential. */
export function withRoom(handler: Handler): Handler {
  return async (request) => {
    const { room } = request.record
    const response = await handler(request).finally(() => room?.finish())
    const { body } = response
    room?.send(typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : streamBytes)
    return response
  }
}

/** Sends the answer, unless the request was already answered because its body was broken. */
export function send(
  { status, body, ...response }: HttpResponse,
  { record }: HttpRequest,
  outgoing: ServerResponse,
  { draining, log }: { draining: boolean; log: Log },
): void {
  if (outgoing.headersSent) return
  const headers = { ...response.headers } as Record<string, string | string[]>
  const unread = !outgoing.req.complete
  // A kept connection would delay a drain; one with a partly read request is in an unknown state.
  if (draining || (unread && outgoing.req.readableDidRead)) headers.connection = 'close'
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    outgoing.writeHead(status, headers)
    stream(body, outgoing).catch((err: NodeJS.ErrnoException) => {
      const isHangUp = err.code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!isHangUp) log.error({ err, request_id: record.requestId }, 'an answer was aborted')
    })
    return
  }
  // The answer to HEAD has the length of the answer to GET. An answer without content has none.
  if (outgoing.req.method !== 'HEAD' && status !== 204 && status !== 304) {
    headers['content-length'] = `${Buffer.byteLength(body)}`
  }
  outgoing.writeHead(status, headers)
  outgoing.end(body)
  if (outgoing.writableLength > 0) outgoing.setTimeout(unreadMs, () => outgoing.destroy())
}

/** In chunks at the client's pace. */
async function stream(body: AsyncIterable<string | Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const pieces = resetting(body, outgoing)
  if (outgoing.destroyed) return leave(pieces)
  outgoing.setTimeout(unreadMs, () => outgoing.destroy())
  await pipeline(Readable.from(pieces, { highWaterMark: 1 }), outgoing)
}

/** Ends a body whose client left before the answer began: `pipeline` would refuse, and leave what it holds open. */
async function leave(pieces: AsyncIterableIterator<string | Uint8Array>): Promise<void> {
  // A generator that has not begun has nothing to clean up yet.
  pieces.next().catch(() => {})
  await pieces.return?.()
}

/**
 * A failure resets the connection: an HTTP/1.0 client takes a normal close for the end of the answer. A client that leaves ends
 * the body at once, not with the next piece.
 */
function resetting(
  body: AsyncIterable<string | Uint8Array>,
  outgoing: ServerResponse,
): AsyncIterableIterator<string | Uint8Array> {
  const pieces = body[Symbol.asyncIterator]()
  return {
    next: () =>
      pieces.next().catch((error: unknown) => {
        outgoing.socket?.resetAndDestroy()
        throw error
      }),
    return: async () => {
      await pieces.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
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
