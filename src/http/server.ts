import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { noSuchRoute, ServiceError } from '../errors.ts'
import type { Log } from '../model/log.ts'
import type { RequestMeter, RequestTracer } from '../model/telemetry.ts'
import { Buffers } from './buffers.ts'
import {
  endWith,
  headProblem,
  maxParsedHead,
  type ParserError,
  parserFailure,
  send,
  toRequest,
  withRoom,
} from './exchange.ts'
import { isProbe, withRequestId } from './handlers.ts'
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  logRequest,
  newRecord,
  requestIdOf,
  splitTarget,
  toErrorResponse,
  withFailures,
} from './message.ts'

export interface ServerOptions {
  host: string
  /** With 0 the system chooses; the result has the port. */
  port: number
  log: Log
  meter?: RequestMeter | undefined
  tracer?: RequestTracer | undefined
  /** How long `close` waits for running requests before it cuts them off. */
  drainMs?: number
  /** How long a client may take to send the head of a request, or to send anything on a new connection. */
  headMs?: number
  /** Maximum of open connections: see `limitConnections`. */
  maxConnections?: number
  /** What bodies that are read or in work, and answers that have not left, may take together, in bytes. */
  bufferBytes?: number
  /** How long an answer waits until there is room for it. */
  roomMs?: number
}

export interface RunningServer {
  url: string
  port: number
  /**
   * Continues to serve, but closes each connection after its next answer: clients with a pool reconnect to another
   * replica.
   */
  leave(): void
  /** Stops accepting, finishes running requests, closes the rest. */
  close(): Promise<void>
}

/** Serves `handler` over HTTP/1.1. Resolves when the port is open; rejects if it cannot be opened. */
export async function startServer(handler: Handler, options: ServerOptions): Promise<RunningServer> {
  const { host, port, log, meter, tracer, drainMs = 10_000, headMs = 10_000, maxConnections = 2_000 } = options
  const state = { draining: false }
  const server = createServer({
    headersTimeout: headMs,
    // For uploads. A body that is read into memory may take less.
    requestTimeout: 3_600_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: Math.min(1_000, headMs),
    maxHeaderSize: maxParsedHead,
    // The check of the head refuses a missing Host.
    requireHostHeader: false,
  })
  const connections = limitConnections(server, maxConnections, log)
  const buffers = new Buffers(
    {
      bytes: options.bufferBytes ?? 256 * 2 ** 20,
      openOfPrincipal: maxConnections / 2,
      openOfAddress: maxConnections / 4,
      waitMs: options.roomMs ?? 10_000,
    },
    log,
  )
  meter?.buffered(() => buffers.held)
  attach(server, handler, { log, meter, tracer, connections, buffers }, state)
  await listening(server, port, host)
  const opened = (server.address() as AddressInfo).port
  const leave = () => {
    state.draining = true
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

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** The latest request of a connection. */
interface Exchange {
  request: HttpRequest
  outgoing: ServerResponse
  /** The client closed its side before the request was complete. */
  left: boolean
}

function attach(
  server: Server,
  handler: Handler,
  {
    log,
    meter,
    tracer,
    connections,
    buffers,
  }: Pick<ServerOptions, 'log' | 'meter' | 'tracer'> & { connections: Connections; buffers: Buffers },
  state: { draining: boolean },
): void {
  const answer = withRequestId(withFailures(withRoom(handler), log))
  const exchanges = new WeakMap<Duplex, Exchange>()
  const ended = new WeakSet<Duplex>()

  function serve(incoming: IncomingMessage, outgoing: ServerResponse, wrong: ServiceError | null): void {
    const startedAt = performance.now()
    const { socket } = incoming
    const room = buffers.begin(socket.remoteAddress ?? '', () => socket.destroy())
    const problem = wrong ?? (isProbe(incoming.url ?? '/') ? null : connections.refusal())
    const request = toRequest(incoming, room)
    const exchange = { request, outgoing, left: false }
    exchanges.set(socket, exchange)
    meter?.started(request.method)
    const span = tracer?.begin(request)
    request.record.traceId = span?.traceId ?? request.record.traceId
    const ended = connections.begin(socket, () => {
      room.release()
      const aborted = exchange.left || !outgoing.writableFinished
      const status = outgoing.headersSent ? outgoing.statusCode : null
      const { method, record } = request
      const ms = performance.now() - startedAt
      logRequest(log, { method, status, ms, record, aborted })
      const { route, error, requestId } = record
      meter?.ended({ method, status, ms, route, error })
      span?.end({ path: splitTarget(request.target).path, route, status, requestId })
    })
    outgoing.once('close', ended)
    const work = () => reply(problem === null ? answer(request) : refuseRequest(request, problem), exchange)
    if (span) span.run(work)
    else work()
  }

  function reply(answered: Promise<HttpResponse>, { request, outgoing }: Exchange): void {
    answered.then(
      (response) => send(response, request, outgoing, { draining: state.draining, log }),
      () => outgoing.destroy(),
    )
  }

  /** What follows the head is in an unknown state, so the connection is closed. */
  async function refuseRequest(request: HttpRequest, problem: ServiceError): Promise<HttpResponse> {
    const { record, headers } = request
    record.requestId ??= requestIdOf(headers)
    const response = toErrorResponse(problem, request, log)
    return { ...response, headers: { ...response.headers, 'x-request-id': record.requestId, connection: 'close' } }
  }

  /** The parser failed: inside a body, whose request is then answered; or between requests, where there is none. */
  function giveUp(error: ParserError, socket: Duplex): void {
    // The parser also fails on later data. The data is read so that the answer is not lost to a connection reset.
    if (ended.has(socket)) return
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const exchange = exchanges.get(socket)
    const failure = parserFailure(error)
    if (exchange === undefined || exchange.outgoing.writableFinished) {
      refuseConnection(socket, failure, null)
      return
    }
    const { request, outgoing } = exchange
    exchange.left = error.code === 'HPE_INVALID_EOF_STATE' && !outgoing.req.complete
    if (outgoing.req.complete) {
      ended.add(socket)
      outgoing.once('finish', () => refuseConnection(socket, failure, null))
    } else if (outgoing.headersSent) {
      socket.destroy()
    } else {
      // Node does not end the body of a request that was answered: its reader would wait for the rest for ever.
      socket.once('close', () => outgoing.req.destroy())
      reply(refuseRequest(request, failure), exchange)
    }
  }

  function refuseConnection(socket: Duplex, failure: ServiceError, method: string | null): void {
    ended.add(socket)
    const { requestId } = endWith(socket, failure)
    const record = { ...newRecord(), requestId, error: failure.code }
    logRequest(log, { method, status: failure.status, ms: 0, record, aborted: false })
    meter?.broken({ method, status: failure.status, ms: 0, route: null, error: failure.code })
  }

  server.on('request', (incoming, outgoing) => serve(incoming, outgoing, headProblem(incoming)))
  server.on('checkExpectation', (incoming, outgoing) => {
    serve(incoming, outgoing, new ServiceError('expectation_failed', 'the header Expect must be 100-continue'))
  })
  server.on('connect', ({ url = '' }, socket) => refuseConnection(socket, noSuchRoute('CONNECT', url), 'CONNECT'))
  server.on('clientError', giveUp)
}

/** Connections beyond the maximum, for probes: an eighth of few connections. */
const maxReserved = 128

interface Connections {
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
function limitConnections(server: Server, max: number, log: Log): Connections {
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
