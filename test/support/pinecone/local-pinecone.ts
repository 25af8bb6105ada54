import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as bodyOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { listen, shut } from '../process/local-http.ts'
import { type Contract, createContract, type Exchange, hasContract } from './contract.ts'
import { ControlPlane, type StoredIndex } from './control-plane.ts'
import { dataPlane } from './data-plane.ts'
import type { StoredRecord } from './namespaces.ts'
import { RefusalError } from './refusal.ts'

/** The faults that a request can meet, instead of its answer or in addition to it. */
export type Fault =
  | { kind: 'hang' }
  | { kind: 'reset' }
  | { kind: 'truncated' }
  | { kind: 'slow'; ms: number }
  /** Never answered, but applied after a delay, even if the client has disconnected. */
  | { kind: 'late'; ms: number }
  | { kind: 'status'; status: number; retryAfter?: string }
  | { kind: 'body'; body: string }
  // biome-ignore lint/suspicious/noExplicitAny: the wire has no types
  | { kind: 'changed'; change: (answer: any) => unknown }

export interface Asked extends Exchange {
  /** The index that the host belongs to; null for the control plane. */
  index: string | null
}

export interface LocalPinecone {
  url: string
  apiKey: string
  /** Every request, in order of arrival. */
  asked: Asked[]
  /** Errors in requests and answers under Pinecone's API documents. */
  breaches: string[]
  /** Faults for the next requests that `faulty` accepts, one each; after them `always` applies. */
  faults: Fault[]
  always: Fault | null
  faulty: (asked: Asked) => boolean
  /** The delay until reads see a write. */
  lagMs: number
  /** The delay until an index is ready. */
  readyMs: number
  /** Whether answers to writes have a log sequence number. */
  numbered: boolean
  indexes: Map<string, StoredIndex>
  /** All records of a namespace in all indexes, including those that reads don't see yet. */
  records(namespace: string): (StoredRecord & { index: string })[]
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Pinecone on this machine, for its SDK. The control plane is at the URL itself, each index at a path below. Requests
 * are checked against Pinecone's API documents if those are available next to the project.
 */
export async function startLocalPinecone(): Promise<LocalPinecone> {
  const contract = hasContract ? createContract() : null
  const http = createServer((request, response) => {
    serve(server, control, contract, request, response).catch(() => response.destroy())
  })
  const control = new ControlPlane({
    url: () => server.url,
    readyMs: () => server.readyMs,
    lagMs: () => server.lagMs,
  })
  const server: LocalPinecone = {
    url: '',
    apiKey: 'pcsk_of_the_tests',
    asked: [],
    breaches: [],
    faults: [],
    always: null,
    faulty: () => true,
    lagMs: 0,
    readyMs: 0,
    numbered: true,
    indexes: control.indexes,
    records: (namespace) =>
      [...control.indexes.values()].flatMap(({ name, namespaces }) =>
        [...namespaces.all(namespace).values()].map((record) => ({ ...record, index: name })),
      ),
    [Symbol.asyncDispose]: () => shut(http),
  }
  server.url = await listen(http)
  return server
}

async function serve(
  server: LocalPinecone,
  control: ControlPlane,
  contract: Contract | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const sent = await bodyOf(request)
  const url = new URL(request.url ?? '', server.url)
  const [, key, below] = /^\/hosts\/([^/]+)(\/.*)$/.exec(url.pathname) ?? []
  const index = [...control.indexes.values()].find((known) => known.key === key)
  const exchange: Asked = {
    index: index?.name ?? null,
    method: request.method ?? '',
    path: below ?? url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: sent === '' ? undefined : JSON.parse(sent),
  }
  server.asked.push(exchange)
  const fault = server.faulty(exchange) ? (server.faults.shift() ?? server.always) : null
  if (fault?.kind === 'hang') return
  if (fault?.kind === 'reset') return void request.socket.resetAndDestroy()
  if (fault?.kind === 'slow') await wait(fault.ms, response)
  if (fault?.kind === 'late') await sleep(fault.ms, undefined, { ref: false })
  if (fault?.kind === 'status') {
    const headers: Record<string, string> = fault.retryAfter ? { 'retry-after': fault.retryAfter } : {}
    return send(response, fault.status, { code: 2, message: `told so: ${sent}`, details: [] }, headers)
  }

  const plane = key === undefined ? 'db_control' : 'db_data'
  try {
    if (request.headers['api-key'] !== server.apiKey) return sendText(response, 401, 'Unauthorized')
    const problem = contract?.request(plane, exchange)
    if (problem) throw new RefusalError(400, problem)
    if (key !== undefined && !index) return sendText(response, 404, 'no such host')
    const { status, body, headers } = index
      ? { status: 200, ...dataPlane(index, { ...exchange, bytes: Buffer.byteLength(sent) }) }
      : { headers: {}, ...control.answer(exchange.method, exchange.path, exchange.body) }
    const breach = contract?.answer(plane, exchange, status, body)
    if (breach) server.breaches.push(`${exchange.method} ${exchange.path}: ${breach}`)
    if (fault?.kind === 'body') return sendText(response, 200, fault.body)
    if (fault?.kind === 'late') return
    const changed = fault?.kind === 'changed' ? fault.change(body) : body
    if (fault?.kind === 'truncated') return cut(request, response, JSON.stringify(changed))
    send(response, status, changed, server.numbered ? headers : {})
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error
    if (error.status === 400) server.breaches.push(`${exchange.method} ${exchange.path}: ${error.message}`)
    const codes: Record<number, string> = { 400: 'INVALID_ARGUMENT', 404: 'NOT_FOUND', 409: 'ALREADY_EXISTS' }
    const { status, message } = error
    if (plane === 'db_control') send(response, status, { status, error: { code: codes[status] ?? 'UNKNOWN', message } })
    else send(response, status, { code: status === 404 ? 5 : 3, message, details: [] })
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  if (body === undefined) return void response.writeHead(status, headers).end()
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function sendText(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(body)
}

function cut(request: IncomingMessage, response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.write(body.slice(0, body.length >> 1), () => request.socket.destroy())
}

/** Waits until the time is over or the client disconnects. */
function wait(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    response.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
