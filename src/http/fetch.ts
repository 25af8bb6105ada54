import { badRequest } from '../errors.ts'
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  newRecord,
  readLimited,
  requirePlainBody,
  splitTarget,
} from './message.ts'

export type Fetch = (request: Request) => Promise<Response>

/** A mounted library: it receives a fetch request, and separately what a fetch request cannot hold. */
export type MountedFetch = (request: Request, original: HttpRequest) => Promise<Response>

/** A handler as a fetch function: tests call it without a socket. */
export function toFetch(handler: Handler): Fetch {
  return async (request) => {
    const url = new URL(request.url)
    const headers = { host: url.host, ...Object.fromEntries(request.headers) }
    const record = newRecord()
    const chunks = () => {
      requirePlainBody(headers)
      return request.body ?? emptyBody()
    }
    const response = await handler({
      method: request.method,
      target: `${url.pathname}${url.search}`,
      headers,
      body: async (limit) => readLimited(chunks(), { record }, limit),
      chunks,
      record,
    })
    return toResponse(response)
  }
}

/** A fetch function (a mounted library) as a handler. `bodyLimit` applies before the function sees the request. */
export function fromFetch(fetch: MountedFetch, bodyLimit?: number): Handler {
  return async (request) => {
    const bodiless = request.method === 'GET' || request.method === 'HEAD'
    const bytes = bodiless ? null : ownBytes(await request.body(bodyLimit))
    // An empty body counts as no body: it needs no content type.
    return fromResponse(await fetch(toRequest(request, bytes?.byteLength ? bytes : null), request))
  }
}

/** Bytes that fill their buffer. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
  return isOwn ? new Uint8Array(buffer) : new Uint8Array(bytes)
}

/** If these parts do not form a request, it is the caller's fault. */
function toRequest({ method, target, headers }: HttpRequest, body: Uint8Array<ArrayBuffer> | null): Request {
  try {
    const { path, query } = splitTarget(target)
    const url = `${originOf(headers.host)}${path}${query === '' ? '' : `?${query}`}`
    const request = new Request(url, { method, headers: withPlainTypes(headers), body })
    // The bytes as they were read: a stream would copy megabytes several times.
    if (body) Object.defineProperty(request, 'arrayBuffer', { value: async () => body.buffer })
    return request
  } catch {
    throw badRequest('the request target and headers must be valid HTTP')
  }
}

function originOf(host = 'localhost'): string {
  const base = `http://${host}`
  return URL.canParse(base) ? new URL(base).origin : 'http://localhost'
}

/** Media types in lower case: they are case-insensitive, but libraries compare them as they are. */
function withPlainTypes(headers: HttpRequest['headers']): Record<string, string> {
  const { accept, 'content-type': type } = headers
  return {
    ...headers,
    ...(accept === undefined ? {} : { accept: accept.toLowerCase() }),
    ...(type === undefined ? {} : { 'content-type': type.replace(/^[^;]*/, (media) => media.trim().toLowerCase()) }),
  }
}

function toResponse({ status, headers, body }: HttpResponse): Response {
  const out = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const one of typeof value === 'string' ? [value] : value) out.append(name, one)
  }
  const empty = status === 204 || status === 304
  return new Response(empty ? null : toBody(body), { status, headers: out })
}

function toBody(body: HttpResponse['body']): BodyInit {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? Uint8Array.from(body) : streamOf(body)
}

function streamOf(chunks: AsyncIterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    cancel: async () => {
      await iterator.return?.()
    },
  })
}

async function fromResponse(response: Response): Promise<HttpResponse> {
  const headers: Record<string, string | string[]> = {}
  // A library's own `Headers` may keep the case of names.
  for (const [name, value] of response.headers) headers[name.toLowerCase()] = value
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  const isLive = response.headers.get('content-type')?.startsWith('text/event-stream')
  const body = isLive && response.body ? restOf([], response.body.getReader()) : await bodyOf(response)
  return { status: response.status, headers, body }
}

/** A body of up to this many bytes is sent whole, with its length; a longer body is streamed. */
const wholeBytes = 256 * 1024

async function bodyOf(response: Response): Promise<HttpResponse['body']> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = response.body?.getReader()
  while (reader && length <= wholeBytes) {
    const { done, value } = await reader.read()
    if (done) return Buffer.concat(chunks)
    chunks.push(value)
    length += value.byteLength
  }
  return reader ? restOf(chunks, reader) : Buffer.concat(chunks)
}

/** A generator would end only with the read that it waits for, and the next event may be long in coming. */
function restOf(
  read: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): AsyncIterableIterator<Uint8Array, undefined> {
  const kept = [...read]
  return {
    next: async () => {
      const value = kept.shift() ?? (await reader.read()).value
      return value === undefined ? { done: true, value } : { done: false, value }
    },
    return: async () => {
      await reader.cancel()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
