import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { badRequest, ServiceError } from '../errors.ts'
import { withFailures } from './failures.ts'
import { errorBody } from './json.ts'
import type { Log } from './log.ts'
import { type Handler, type HttpRequest, type HttpResponse, readLimited } from './message.ts'
import { withRequestId } from './request-id.ts'

export interface ServerOptions {
  host: string
  /** 0 lets the system choose; the result says which. */
  port: number
  log?: Log
  /** How long `close` waits for requests in flight before it cuts them off. */
  drainMs?: number
}

/** How long a client may take nothing of a stream. */
const stalledMs = 300_000

export interface RunningServer {
  url: string
  port: number
  /** Goes on serving, but ends each connection with its next answer: whoever pools them comes back to another replica. */
  leave(): void
  /** Stops accepting, finishes what is in flight, closes the rest. */
  close(): Promise<void>
}

/** Serves `handler` over HTTP/1.1. Resolves once the port is open; rejects if it cannot be. */
export async function startServer(handler: Handler, options: ServerOptions): Promise<RunningServer> {
  const { host, port, log, drainMs = 10_000 } = options
  const answer = withRequestId(withFailures(handler, log))
  let draining = false
  const server = createServer({ headersTimeout: 20_000, requestTimeout: 300_000, keepAliveTimeout: 65_000 })
  server.on('request', (incoming, outgoing) => {
    answer(toRequest(incoming)).then(
      (response) => send(response, outgoing, { draining, log }),
      () => outgoing.destroy(),
    )
  })
  server.on('clientError', refuse)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const opened = (server.address() as AddressInfo).port
  const leave = () => {
    draining = true
  }
  const close = () =>
    new Promise<void>((resolve, reject) => {
      leave()
      const deadline = setTimeout(() => server.closeAllConnections(), drainMs)
      server.close((error) => {
        clearTimeout(deadline)
        if (error) reject(error)
        else resolve()
      })
    })
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${opened}`, port: opened, leave, close }
}

function toRequest(incoming: IncomingMessage): HttpRequest {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return {
    method: incoming.method ?? 'GET',
    target: incoming.url ?? '/',
    headers,
    remoteAddress: incoming.socket.remoteAddress,
    body: (limit) => readBody(incoming, limit),
  }
}

async function readBody(incoming: IncomingMessage, limit?: number): Promise<Uint8Array> {
  try {
    // The stream must outlive a body that was cut off: the answer goes out on the same socket.
    return await readLimited(incoming.iterator({ destroyOnReturn: false }), limit)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw badRequest('the body ended early')
  }
}

function send(
  { status, body, ...response }: HttpResponse,
  outgoing: ServerResponse,
  { draining, log }: { draining: boolean; log: Log | undefined },
): void {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(response.headers)) {
    headers[name] = typeof value === 'string' ? value : [...value]
  }
  const unread = !outgoing.req.complete
  // A kept connection would hold up a drain; one whose request was not read to its end is in an unknown state.
  if (draining || (unread && outgoing.req.readableDidRead)) headers.connection = 'close'
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    outgoing.writeHead(status, headers)
    stream(body, outgoing).catch((err: NodeJS.ErrnoException) => {
      const isHangUp = err.code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!isHangUp) log?.error({ err, requestId: headers['x-request-id'] }, 'an answer was broken off')
    })
    return
  }
  headers['content-length'] = `${Buffer.byteLength(body)}`
  outgoing.writeHead(status, headers)
  outgoing.end(body)
}

/** In chunks at the client's pace. */
async function stream(body: AsyncIterable<string>, outgoing: ServerResponse): Promise<void> {
  outgoing.setTimeout(stalledMs, () => outgoing.destroy())
  await pipeline(Readable.from(resetting(body, outgoing), { highWaterMark: 1 }), outgoing)
}

/** A failure resets the connection: to a client of HTTP/1.0 one that is merely closed would be the end of the answer. */
async function* resetting(body: AsyncIterable<string>, outgoing: ServerResponse): AsyncGenerator<string> {
  try {
    yield* body
  } catch (error) {
    outgoing.socket?.resetAndDestroy()
    throw error
  }
}

/** Bytes that are not HTTP never become a request; they still get the one error shape. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(errorBody(badRequest('the request is not well-formed HTTP')))
  socket.end(
    'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
