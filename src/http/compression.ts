import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import { names } from './accept.ts'
import type { Handler, HttpResponse } from './message.ts'

/** Below this, the answer fits into a few packets anyway. */
const minBytes = 4096

const codings = ['br', 'gzip'] as const
type Coding = (typeof codings)[number]

/** Above this level, Brotli takes longer than most networks. */
const options = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } },
  gzip: { level: 6 },
}

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
    if ((typeof body === 'string' || body instanceof Uint8Array) && Buffer.byteLength(body) < minBytes) return varying
    const coding = codings.find((one) => names(request.headers['accept-encoding'], one))
    return coding ? encoded(varying, coding) : varying
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
    body: typeof body === 'string' || body instanceof Uint8Array ? await whole(body, coding) : pieces(body, coding),
  }
}

const whole = (body: string | Uint8Array, coding: Coding): Promise<Uint8Array> =>
  coding === 'br' ? promisify(brotliCompress)(body, options.br) : promisify(gzip)(body, options.gzip)

/** Started by its reader; a failure of the body breaks it off. */
async function* pieces(body: AsyncIterable<string | Uint8Array>, coding: Coding): AsyncGenerator<Uint8Array> {
  const encoder = coding === 'br' ? createBrotliCompress(options.br) : createGzip(options.gzip)
  const source = Readable.from(body, { objectMode: false })
  source.once('error', (error) => encoder.destroy(error))
  try {
    yield* source.pipe(encoder)
  } finally {
    source.destroy()
  }
}

function withEncoding(vary: string | readonly string[] | undefined): string {
  const known = [vary ?? []].flat()
  return known.some((one) => /\baccept-encoding\b/i.test(one))
    ? known.join(', ')
    : [...known, 'Accept-Encoding'].join(', ')
}
