import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { badRequest, ServiceError } from '../errors.ts'
import type { Log } from '../model/log.ts'
import { traceParentOf } from '../model/request.ts'
import type { RequestRoom } from './buffers.ts'
import { type Handler, type HttpRequest, type HttpResponse, readLimited, requirePlainBody } from './message.ts'
import { newRecord } from './request-record.ts'

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
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    headers[name] = typeof value === 'string' ? value : [...value]
  }
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
