import { notFound, rangeNotSatisfiable } from '../errors.ts'
import type { Log } from '../model/log.ts'
import type { ByteRange } from '../model/object-key.ts'
import { withRequestId } from './handlers.ts'
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  json,
  matches,
  privateHeaders,
  requestIdOf,
  splitTarget,
  toErrorResponse,
  withFailures,
} from './message.ts'
import { withCors } from './origin.ts'

/** The secret in a link `<root><32 base62>`. Undefined for other paths, and for other methods than the link's own. */
function linkSecret({ method, target }: HttpRequest, own: string, root: string): string | undefined {
  const { path } = splitTarget(target)
  const secret = path.startsWith(root) ? path.slice(root.length) : ''
  return method === own && /^[0-9A-Za-z]{32}$/.test(secret) ? secret : undefined
}

interface SourceHandlerOptions {
  /** Null when the link with this secret is not valid any more. */
  open(secret: string, requestId: string): Promise<ServedSource | null>
  log: Log
  allowedOrigins?: readonly string[]
}

interface ServedSource {
  name: string
  contentType: string
  inline: boolean
  bytes: number
  sha256: string
  stream(range?: ByteRange): AsyncIterable<Uint8Array>
}

/** A source is foreign content: no browser may run it, guess its type, or keep it. */
const guarded = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'self'",
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

const exposed = ['accept-ranges', 'content-disposition', 'content-length', 'content-range', 'etag']

/** Serves sources by links; mount it at `/sources/`. Everything except a GET or HEAD of a live link is 404. */
export function createSourceHandler({ open, log, allowedOrigins = [] }: SourceHandlerOptions): Handler {
  const handler: Handler = async (request) => {
    const secret = linkSecret(request, 'GET', '/sources/')
    const source = secret === undefined ? null : await open(secret, requestIdOf(request.headers))
    if (!source) throw notFound('no such source link: it has expired, or its Unit cannot be read; request another one')
    return answer(source, request, log)
  }
  const guard: Handler = async (request) => {
    const response = await withFailures(handler, log)(request)
    return { ...response, headers: { ...response.headers, ...guarded } }
  }
  return withRequestId(withCors(guard, allowedOrigins, { methods: ['GET', 'HEAD'], exposed }))
}

function answer(source: ServedSource, request: HttpRequest, log: Log): HttpResponse {
  const { name, contentType, inline, bytes, sha256, stream } = source
  const { range: wanted, 'if-range': ifRange, 'if-none-match': known } = request.headers
  const etag = `"${sha256}"`
  const headers = { etag, 'accept-ranges': 'bytes' }
  if (matches(known, etag)) return { status: 304, headers, body: '' }
  const described = {
    ...headers,
    'content-type': contentType,
    'content-disposition': disposition(inline, name),
  }
  const range = ifRange === undefined || ifRange.trim() === etag ? rangeOf(wanted, bytes) : null
  if (range === null) {
    return { status: 200, headers: { ...described, 'content-length': `${bytes}` }, body: stream() }
  }
  if (range === 'unsatisfiable') {
    const refused = toErrorResponse(rangeNotSatisfiable(bytes), request, log)
    return { ...refused, headers: { ...refused.headers, ...headers, 'content-range': `bytes */${bytes}` } }
  }
  const { start, end } = range
  return {
    status: 206,
    headers: {
      ...described,
      'content-length': `${end - start + 1}`,
      'content-range': `bytes ${start}-${end}/${bytes}`,
    },
    body: stream(range),
  }
}

/** The header Content-Disposition (RFC 6266): a name in ASCII for every client, and the name itself (RFC 8187). */
function disposition(inline: boolean, path: string): string {
  const name = (path.split(/[/\\]/).at(-1) ?? '').replace(/\p{Cc}/gu, '').trim() || 'source'
  const ascii = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_')
  const kind = inline ? 'inline' : 'attachment'
  const extended = ascii === name ? '' : `; filename*=UTF-8''${encoded(name.toWellFormed())}`
  return `${kind}; filename="${ascii}"${extended}`
}

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * The part of `bytes` bytes that a header Range asks for (RFC 9110, 14.2). Null for all of them: without a range, for one
 * that cannot be read, and for several. `unsatisfiable` for a range outside.
 */
function rangeOf(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | null {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '') ?? []
  if (from === '' && to === '') return null
  if (from === '') {
    const length = Math.min(Number(to), bytes)
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(from)
  const end = to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1)
  if (to !== '' && Number(to) < start) return null
  return start >= bytes ? 'unsatisfiable' : { start, end }
}

interface UploadHandlerOptions {
  /** Stores what the link with this secret takes; null when the link is not valid. */
  receive(secret: string, sent: SentBytes, requestId: string): Promise<Received | null>
  log: Log
  allowedOrigins?: readonly string[]
}

interface SentBytes {
  length: number | null
  chunks(): AsyncIterable<Uint8Array>
}

interface Received {
  sourceUri: string
  mime: string
  bytes: number
  sha256: string
}

/** Takes the bytes of sources by one-time links; mount it at `/uploads/`. Everything except a PUT to a live link is 404. */
export function createUploadHandler({ receive, log, allowedOrigins = [] }: UploadHandlerOptions): Handler {
  const handler: Handler = async (request) => {
    const secret = linkSecret(request, 'PUT', '/uploads/')
    const sent = { length: lengthOf(request), chunks: () => request.chunks() }
    const received = secret === undefined ? null : await receive(secret, sent, requestIdOf(request.headers))
    if (!received) throw notFound('no such upload: the link was used, is in use or has expired; request another one')
    const { sourceUri, mime, bytes, sha256 } = received
    return json(200, { source_uri: sourceUri, mime, bytes, sha256 })
  }
  return withRequestId(withCors(withFailures(handler, log), allowedOrigins, { methods: ['PUT'] }))
}

function lengthOf({ headers }: HttpRequest): number | null {
  const declared = headers['content-length']
  return declared === undefined || headers['transfer-encoding'] !== undefined ? null : Number(declared)
}

interface ExportHandlerOptions {
  /** Uses up the link with this token, unless `peek` is set; null when the link is not valid. */
  open(token: string, requestId: string, options: { peek: boolean }): Promise<OpenedExport | null>
  log: Log
  allowedOrigins?: readonly string[]
}

interface OpenedExport {
  namespace: string
  format: string
  text: AsyncIterable<string>
}

/** Serves exports by their one-time links; mount it at `/exports/`. Everything except a GET of a live link is 404. */
export function createExportHandler({ open, log, allowedOrigins = [] }: ExportHandlerOptions): Handler {
  const handler: Handler = async (request) => {
    const token = linkSecret(request, 'GET', '/exports/')
    const opened =
      token === undefined ? null : await open(token, requestIdOf(request.headers), { peek: request.isHead ?? false })
    if (!opened) throw notFound('no such export: the link was used or has expired; request another one')
    const { namespace, format, text } = opened
    return {
      status: 200,
      headers: {
        'content-type': 'application/x-ndjson',
        'content-disposition': `attachment; filename="audit-${namespace}${format === 'ndjson' ? '' : `-${format}`}.ndjson"`,
        ...privateHeaders,
      },
      body: text,
    }
  }
  return withRequestId(withCors(withFailures(handler, log), allowedOrigins))
}
