import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

type Bytes = Uint8Array<ArrayBuffer>

/** A page that never changes, in each encoding that browsers accept. */
export interface CompressedPage {
  /** Weak: the same tag for every encoding of the page. */
  etag: string
  encodedFor(acceptEncoding: string | null): { body: Bytes; encoding: 'br' | 'gzip' | null }
}

/** Above this level, Brotli takes seconds to save a few per cent. */
const quality = { [constants.BROTLI_PARAM_QUALITY]: 5 }

/** Compresses in the platform's threads, so that only requests for the page wait for it. */
export async function compressPage(plain: Bytes): Promise<CompressedPage> {
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(plain, { params: { ...quality, [constants.BROTLI_PARAM_SIZE_HINT]: plain.byteLength } }),
    promisify(gzip)(plain),
  ])
  const bodies = { br: new Uint8Array(br), gzip: new Uint8Array(gz) }
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return {
    etag,
    encodedFor: (acceptEncoding) => {
      const encoding = preferred(acceptEncoding ?? '')
      return { body: encoding === null ? plain : bodies[encoding], encoding }
    },
  }
}

/** Brotli if the client accepts it: it is smaller. A weight of 0 means "not accepted". */
function preferred(acceptEncoding: string): 'br' | 'gzip' | null {
  const taken = new Map(
    acceptEncoding.split(',').map((part): [string, boolean] => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))]
    }),
  )
  const takes = (name: string) => taken.get(name) ?? taken.get('*') ?? false
  if (takes('br')) return 'br'
  return takes('gzip') ? 'gzip' : null
}

/** Whether `If-None-Match` names the current page; strong and weak tags compare as equal here. */
export function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}
