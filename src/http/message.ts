import { createHash, randomUUID } from 'node:crypto'
import { isLongJson, stringifyInSlices } from '../async/json.ts'
import { badRequest, internalProblem, rootCause, ServiceError } from '../errors.ts'
import type { Log } from '../model/log.ts'
import { isKey, namespaceHeader, type RequestNotes, scopeHeader, seqHeader, unquoted } from '../model/request.ts'
import type { RequestRoom } from './buffers.ts'

/** A request as every handler sees it, from any transport. */
export interface HttpRequest {
  method: string
  /** Path and query as sent: nothing is decoded. */
  target: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** The peer of the socket, if there is one. Headers cannot forge it. */
  remoteAddress?: string | undefined
  /**
   * Reads the body once; throws a 400 over `limit` bytes, and over 256 KiB before `record` has a principal. Throws a 415
   * for one that is compressed.
   */
  body(limit?: number): Promise<Uint8Array>
  /** The body as it comes, instead of `body`. Throws a 400 when it breaks off, a 415 when it is compressed. */
  chunks(): AsyncIterable<Uint8Array>
  /** A GET made from a HEAD: it must not use up anything that works once. */
  isHead?: boolean
  record: RequestRecord
}

export interface HttpResponse {
  status: number
  /** Names in lower case; a list (`set-cookie`) is sent as several headers. */
  headers: Readonly<Record<string, string | readonly string[]>>
  /** An iterable is streamed, at the client's pace. If it throws, the answer is cut off. */
  body: string | Uint8Array | AsyncIterable<string | Uint8Array>
}

export type Handler = (request: HttpRequest) => Promise<HttpResponse>

const defaultBodyLimit = 16 * 1024 * 1024

/** Of a caller that is not known: any client may send it. */
const anonymousBodyLimit = 256 * 1024

/**
 * How long a body is still read and thrown away. If the service answers while the client is sending, many clients lose the
 * answer to a connection reset. So it reads the excess first, and cuts off only a flood.
 */
const drainedBytes = 4 * defaultBodyLimit

/** Where the bytes of a body are counted while they are kept. */
interface Counted {
  read(bytes: number): Promise<void>
  finish(): void
}

/** Collects a body of at most `limit` bytes; a longer one is drained, then refused. */
export async function readLimited(
  chunks: AsyncIterable<Uint8Array>,
  { record: { principalId } }: Pick<HttpRequest, 'record'>,
  wanted = defaultBodyLimit,
  counted?: Counted,
): Promise<Uint8Array> {
  const limit = principalId === null ? Math.min(wanted, anonymousBodyLimit) : wanted
  // In one buffer: a list of chunks of a byte each, as any client may send, would take many times their bytes.
  let kept = Buffer.alloc(0)
  let length = 0
  for await (const chunk of chunks) {
    const at = length
    length += chunk.byteLength
    if (length <= limit) {
      if (length > kept.byteLength) kept = grown(kept, at, length)
      kept.set(chunk, at)
      await counted?.read(chunk.byteLength)
    } else {
      kept = Buffer.alloc(0)
      counted?.finish()
      await counted?.read(0)
    }
    if (length > drainedBytes) break
  }
  if (length > wanted) throw badRequest(`the body must be at most ${sizeOf(wanted)}`)
  if (length > limit) throw badRequest(`the body must be at most ${sizeOf(limit)} without a credential`)
  return kept.subarray(0, length)
}

/** A copy of the first `used` bytes with room for `needed`, and for more where it is not the first. */
function grown(buffer: Buffer, used: number, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(used === 0 ? needed : Math.max(needed, 2 * used))
  larger.set(buffer.subarray(0, used))
  return larger
}

function sizeOf(bytes: number): string {
  const [kib, mib] = [bytes / 1024, bytes / (1024 * 1024)]
  if (Number.isInteger(mib)) return `${mib} MiB`
  return Number.isInteger(kib) ? `${kib} KiB` : `${bytes} bytes`
}

/** Whether a body comes as it is. Throws a 415 for one that is compressed: its size would be unknown. */
export function requirePlainBody({ 'content-encoding': coding = '' }: HttpRequest['headers']): void {
  if (['', 'identity'].includes(coding.trim().toLowerCase())) return
  throw new ServiceError(
    'unsupported_media_type',
    'the header Content-Encoding must be absent: send the body uncompressed',
  )
}

/** The raw path and the query of a request target, in origin form (`/a?b`) or absolute form (`http://host/a?b`). */
export function splitTarget(target: string): { path: string; query: string } {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  const mark = origin.indexOf('?')
  return mark < 0 ? { path: origin, query: '' } : { path: origin.slice(0, mark), query: origin.slice(mark + 1) }
}

/** The header Idempotency-Key, with or without quotes; null if there is none. Throws a 400 for one that is malformed. */
export function idempotencyKey(headers: Readonly<Record<string, string>>): string | null {
  const sent = headers['idempotency-key']
  if (sent === undefined) return null
  const key = unquoted(sent)
  if (!isKey(key)) throw badRequest('the header Idempotency-Key must be 1 to 255 visible ASCII characters')
  return key
}

/** False for text that cannot be stored as it is: the catalog refuses NUL, UTF-8 has no unpaired surrogates. */
export function isCleanText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** Answers belong to one caller: caches must not keep them, and browsers must not guess another type. */
export const privateHeaders = { 'cache-control': 'private, no-store', 'x-content-type-options': 'nosniff' } as const

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', ...privateHeaders } as const

/** A long body is sent in pieces while it is written. */
export function json(status: number, body: unknown): HttpResponse {
  return {
    status,
    headers: jsonHeaders,
    body: isLongJson(body) ? stringifyInSlices(body) : JSON.stringify(body ?? null),
  }
}

/** The success of JSON that is written already. */
export const jsonOf = (text: string): HttpResponse => ({ status: 200, headers: jsonHeaders, body: text })

/** The same as one text. */
export async function jsonText(body: unknown): Promise<string> {
  if (!isLongJson(body)) return JSON.stringify(body ?? null)
  const pieces: string[] = []
  for await (const piece of stringifyInSlices(body)) pieces.push(piece)
  return pieces.join('')
}

/** The one error shape: `{error, detail, status}`, and `required_tier` where a higher tier would help. */
export function errorBody(error: ServiceError, detail = error.detail): Record<string, string | number> {
  return {
    error: error.code,
    detail,
    status: error.status,
    ...(error.requiredTier === undefined ? {} : { required_tier: error.requiredTier }),
  }
}

/** The error that a caller sees for an unexpected failure. */
const internalError = () => new ServiceError('internal_error', internalProblem)

export function methodNotAllowed(methods: readonly string[]): HttpResponse {
  const error = new ServiceError('method_not_allowed', `the method must be ${methods.join(' or ')}`)
  const response = json(405, errorBody(error))
  return { ...response, headers: { ...response.headers, allow: methods.join(', ') } }
}

type Failing = Pick<HttpRequest, 'record'>

/** The part of a failure that a caller may see. Unexpected errors, and every 5xx, are logged with their stack. */
export function toServiceError(error: unknown, { record }: Failing, log: Log): ServiceError {
  const cause = error instanceof Error ? rootCause(error) : error
  const failure = cause instanceof ServiceError ? cause : internalError()
  record.error = failure.code
  if (failure.retryAfter !== undefined) record.headers['retry-after'] = `${failure.retryAfter}`
  if (failure.status >= 500) {
    log.error({ err: error, ...idsOf(record) }, 'a request failed')
  }
  return failure
}

/** Turns anything thrown into the one error shape. */
export function toErrorResponse(error: unknown, request: Failing, log: Log): HttpResponse {
  const failure = toServiceError(error, request, log)
  const response = json(failure.status, errorBody(failure))
  if (failure.retryAfter === undefined) return response
  return { ...response, headers: { ...response.headers, 'retry-after': `${failure.retryAfter}` } }
}

export function withFailures(handler: Handler, log: Log): Handler {
  return async (request) => {
    try {
      return await handler(request)
    } catch (error) {
      return toErrorResponse(error, request, log)
    }
  }
}

/** Headers that pages of other origins may read. */
export const exposedHeaders = (brand: string): readonly string[] => [
  'etag',
  'idempotency-replayed',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  seqHeader(brand).toLowerCase(),
]

/** The headers of an answer to a caller: what was noted, and `Vary` unless the answer names its own. */
export function withCallerHeaders(handler: Handler, brand: string): Handler {
  const vary = ['Authorization', 'Cookie', namespaceHeader(brand), scopeHeader(brand)].join(', ')
  return async (request) => {
    const response = await handler(request)
    return { ...response, headers: { vary, ...response.headers, ...request.record.headers } }
  }
}

/** Whether a header If-None-Match names this tag (RFC 9110, 13.1.2: a weak comparison). */
export const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((one) => opaque(one.trim()) === opaque(etag)))

const opaque = (etag: string) => etag.replace(/^W\//, '')

/** Adds a weak tag to an answer, which is 304 without content if the caller has that answer already. */
export async function tagged(response: HttpResponse, { headers }: HttpRequest): Promise<HttpResponse> {
  const body = await whole(response.body)
  const etag = `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
  if (!matches(headers['if-none-match'], etag)) {
    return { ...response, headers: { ...response.headers, etag }, body }
  }
  const { 'content-type': _, ...kept } = response.headers
  return { status: 304, headers: { ...kept, etag }, body: '' }
}

/** A body, read to its end. */
export async function whole(body: HttpResponse['body']): Promise<string | Uint8Array> {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks)
}

/** Facts about a request for its line in the log. Each layer fills in what it learns. */
interface RequestRecord extends RequestNotes {
  requestId: string | null
  /** A template such as `/v1/units/{id}`, never the path itself: paths of links contain secrets. */
  route: string | null
  /** The memory that its body and answer take. Only a request over a socket has one. */
  room?: RequestRoom
}

export const newRecord = (): RequestRecord => ({
  requestId: null,
  traceId: null,
  route: null,
  principalId: null,
  namespace: null,
  fields: null,
  error: null,
  headers: {},
  plain: false,
})

/** What a line of the log says of a request, to find its other lines and its trace. */
export const idsOf = ({ requestId, traceId }: Pick<RequestRecord, 'requestId' | 'traceId'>) => ({
  request_id: requestId,
  ...(traceId === null ? {} : { trace_id: traceId }),
})

const sane = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's `X-Request-Id` if it is valid, else a new one. */
export function requestIdOf(headers: Readonly<Record<string, string>>): string {
  const sent = headers['x-request-id']
  return sent !== undefined && sane.test(sent) ? sent : randomUUID()
}

interface Ended {
  /** Null when the head could not be read. */
  method: string | null
  /** Null when the client left before an answer began. */
  status: number | null
  ms: number
  record: RequestRecord
  aborted: boolean
}

/** Orchestrators call these every few seconds. */
const probes = ['/livez', '/readyz']

/** One line for a finished request. It contains no text of the caller, except a valid request id. */
export function logRequest(log: Log, { method, status, ms, record, aborted }: Ended): void {
  const { route, principalId, namespace, fields, error } = record
  const line = {
    ...idsOf(record),
    method,
    route,
    status,
    ms: Math.round(ms * 1000) / 1000,
    principal_id: principalId,
    namespace,
    ...(fields === null ? {} : { fields }),
    ...(error === null ? {} : { error }),
    ...(aborted ? { aborted } : {}),
  }
  if (route !== null && probes.includes(route)) log.debug?.(line, 'request')
  else log.info(line, 'request')
}
