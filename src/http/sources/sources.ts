import { notFound, rangeNotSatisfiable } from '../../errors.ts'
import type { ByteRange } from '../../model/exact-bytes.ts'
import type { Log } from '../../model/log.ts'
import { withCors } from '../cors.ts'
import { matches } from '../entity-tags.ts'
import { toErrorResponse, withFailures } from '../failures.ts'
import { linkSecret } from '../link-secret.ts'
import type { Handler, HttpRequest, HttpResponse } from '../message.ts'
import { requestIdOf, withRequestId } from '../request-id.ts'
import { disposition } from './disposition.ts'
import { rangeOf } from './range.ts'

export interface SourceHandlerOptions {
  /** Null when the link with this secret is not valid any more. */
  open(secret: string, requestId: string): Promise<Served | null>
  log: Log
  allowedOrigins?: readonly string[]
}

interface Served {
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

function answer(source: Served, request: HttpRequest, log: Log): HttpResponse {
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
