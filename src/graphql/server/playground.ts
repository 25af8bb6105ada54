import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/**
 * GraphiQL as one page that needs no network: script, styles and workers are inlined. The content security policy
 * enforces this. It also isolates the page: the page may connect to its own origin only, and no site may frame it.
 */
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** The initial text of the editor. */
const firstQuery = `# Put your API key or token into the tab "Headers" below this editor:
#
#   {"Authorization": "Bearer <your key>"}
#
# Signed in on this site, you need none. Ctrl-Enter runs the query under the cursor.

{
  health {
    status
    version
  }
}
`

/** Renders and compresses the page on its first request, once: it is 9 MB, and most processes never serve it. */
export function createPlayground(title = 'GraphQL'): (request: Request) => Promise<Response> {
  let made: Promise<CompressedPage> | undefined
  return async ({ headers }) => {
    made ??= renderPage(title).then(compressPage)
    const page = await made
    const shared = { etag: page.etag, vary: 'Accept, Accept-Encoding', 'cache-control': 'no-cache' }
    if (matches(headers.get('if-none-match'), page.etag)) return new Response(null, { status: 304, headers: shared })
    const { body, encoding } = page.encodedFor(headers.get('accept-encoding'))
    return new Response(body, {
      headers: {
        ...shared,
        ...(encoding === null ? {} : { 'content-encoding': encoding }),
        'content-length': `${body.byteLength}`,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      },
    })
  }
}

async function renderPage(title: string): Promise<Uint8Array<ArrayBuffer>> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  const options = { title, endpoint: '/graphql', credentials: 'same-origin', defaultQuery: firstQuery } as const
  return new TextEncoder().encode(renderGraphiQL(options))
}

type Bytes = Uint8Array<ArrayBuffer>

/** A page that never changes, in each encoding that browsers accept. */
interface CompressedPage {
  /** Weak: the same tag for every encoding of the page. */
  etag: string
  encodedFor(acceptEncoding: string | null): { body: Bytes; encoding: 'br' | 'gzip' | null }
}

/** Above this level, Brotli takes seconds to save a few per cent. */
const quality = { [constants.BROTLI_PARAM_QUALITY]: 5 }

/** Compresses in the platform's threads, so that only requests for the page wait for it. */
async function compressPage(plain: Bytes): Promise<CompressedPage> {
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
function matches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}
