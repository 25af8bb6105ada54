import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { Log } from '../model/log.ts'
import { type Handler, type HttpResponse, idsOf, json, requestIdOf, splitTarget } from './message.ts'

/** The mount point of a handler: one exact path, or everything below a prefix that ends in `/`. */
export interface Mount {
  path: string
  /** The path as a template, for the log. Null when the handler sets it. Default: the path. */
  route?: string | null
  handler: Handler
}

/** Sends a request to the first mount that matches its raw path, else to `fallback`. */
export function createRouter(mounts: readonly Mount[], fallback: Handler): Handler {
  return (request) => {
    const { path } = splitTarget(request.target)
    const mount = mounts.find((m) => (m.path.endsWith('/') ? path.startsWith(m.path) : path === m.path))
    if (mount === undefined) return fallback(request)
    request.record.route = mount.route === undefined ? mount.path : mount.route
    return mount.handler(request)
  }
}

/** Answers HEAD where `handler` answers GET: the same status and headers, without a body. */
export function withHead(handler: Handler): Handler {
  return async (request) => {
    if (request.method !== 'HEAD') return handler(request)
    const { body, ...response } = await handler({ ...request, method: 'GET', isHead: true })
    const length = response.status === 304 ? {} : await lengthOf(body)
    return { ...response, headers: { ...response.headers, ...length }, body: '' }
  }
}

/** A stream has no length, and is not started. */
async function lengthOf(body: HttpResponse['body']): Promise<Record<string, string>> {
  if (typeof body === 'string' || body instanceof Uint8Array) return { 'content-length': `${Buffer.byteLength(body)}` }
  await body[Symbol.asyncIterator]().return?.()
  return {}
}

/** Below this, the answer fits into a few packets anyway. */
const minBytes = 4096

const codings = ['br', 'gzip'] as const
type Coding = (typeof codings)[number]

/** Above this level, Brotli takes longer than most networks. */
const options = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } },
  gzip: { level: 6 },
}

/** What a stream of pieces uses of Brotli's window (2 to this power): more would take twice the memory for little. */
const windowBits = 18
/** What an encoder of pieces has in memory, about. */
const encoderBytes = { br: 5 * 2 ** 20, gzip: 2 ** 20 }

const isText = /^(text\/(?!event-stream)|application\/([\w.+-]+\+)?json\b|application\/x-ndjson)/

/**
 * Compresses long answers in text or JSON, in the platform's threads. An answer with a new secret stays as it is: its
 * compressed length would tell about the secret (BREACH). Its operation has noted that in the record of the request.
 */
export function withCompression(handler: Handler): Handler {
  return async (request) => {
    const response = await handler(request)
    const { status, headers, body } = response
    if (request.record.plain || status === 204 || 'content-encoding' in headers || 'content-range' in headers)
      return response
    const varying = { ...response, headers: { ...headers, vary: withEncoding(headers.vary) } }
    if (status === 304) return varying
    if (!isText.test(String(headers['content-type'] ?? ''))) return response
    if (isWhole(body) && Buffer.byteLength(body) < minBytes) return varying
    const coding = codings.find((one) => names(request.headers['accept-encoding'], one))
    if (coding === undefined) return varying
    if (!isWhole(body)) request.record.room?.hold(encoderBytes[coding])
    return encoded(varying, coding)
  }
}

async function encoded({ status, headers, body }: HttpResponse, coding: Coding): Promise<HttpResponse> {
  const { 'content-length': _, etag, ...kept } = headers
  // Another representation: a strong tag would promise the same bytes.
  const tag: HttpResponse['headers'] =
    typeof etag === 'string' ? { etag: etag.startsWith('W/') ? etag : `W/${etag}` } : {}
  return {
    status,
    headers: { ...kept, ...tag, 'content-encoding': coding },
    body: isWhole(body) ? await whole(body, coding) : pieces(body, coding),
  }
}

const isWhole = (body: HttpResponse['body']): body is string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array

const whole = (body: string | Uint8Array, coding: Coding): Promise<Uint8Array> =>
  coding === 'br' ? promisify(brotliCompress)(body, options.br) : promisify(gzip)(body, options.gzip)

/** Started by its reader; a failure of the body breaks it off. */
async function* pieces(body: AsyncIterable<string | Uint8Array>, coding: Coding): AsyncGenerator<Uint8Array> {
  const params = { ...options.br.params, [constants.BROTLI_PARAM_LGWIN]: windowBits }
  const encoder = coding === 'br' ? createBrotliCompress({ params }) : createGzip(options.gzip)
  const source = Readable.from(body, { objectMode: false })
  source.once('error', (error) => encoder.destroy(error))
  try {
    yield* source.pipe(encoder)
  } finally {
    source.destroy()
  }
}

function withEncoding(vary: string | readonly string[] | undefined): string {
  const known = typeof vary === 'string' ? vary : (vary ?? []).join(', ')
  if (/\baccept-encoding\b/i.test(known)) return known
  return known === '' ? 'Accept-Encoding' : `${known}, Accept-Encoding`
}

/** Whether a list such as `Accept` or `Accept-Encoding` names `wanted`, and does not refuse it by `q=0`. */
export function names(list: string | undefined, wanted: string): boolean {
  return (list ?? '').split(',').some((entry) => {
    const [name = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    return name === wanted && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

/**
 * Sets the id once: handlers inside see it as a header, and every response has it. Inside another such handler it does
 * nothing.
 */
export function withRequestId(handler: Handler): Handler {
  return async (request) => {
    if (request.record.requestId !== null) return handler(request)
    const id = requestIdOf(request.headers)
    request.record.requestId = id
    const response = await handler({ ...request, headers: { ...request.headers, 'x-request-id': id } })
    return { ...response, headers: { ...response.headers, 'x-request-id': id } }
  }
}

/** What orchestrators and load balancers ask: answered at any load. */
const probes = ['/livez', '/readyz', '/v1/health']

export const isProbe = (target: string): boolean => probes.includes(splitTarget(target).path)

/** The process runs: an orchestrator restarts it when this fails. */
export const livez: Handler = async () => json(200, { status: 'ok' })

interface ReadyzOptions {
  timeoutMs?: number
  log?: Log
  /** The process will end soon, but still works. */
  isLeaving?: () => boolean
}

/**
 * The service is ready. While `check` rejects or is slow, or the process is leaving, an orchestrator sends no traffic.
 */
export function createReadyz(check: () => Promise<void>, options: ReadyzOptions = {}): Handler {
  const { timeoutMs = 2_000, log, isLeaving = () => false } = options
  return async ({ record }) => {
    if (isLeaving()) return json(503, { status: 'leaving' })
    const expired = Promise.withResolvers<never>()
    const timer = setTimeout(() => expired.reject(new Error('the readiness check timed out')), timeoutMs)
    try {
      await Promise.race([check(), expired.promise])
      return json(200, { status: 'ok' })
    } catch (error) {
      log?.error({ err: error, ...idsOf(record) }, 'not ready')
      return json(503, { status: 'unavailable' })
    } finally {
      clearTimeout(timer)
    }
  }
}
