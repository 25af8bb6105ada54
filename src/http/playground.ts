import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { once } from '../model/once.ts'
import { assetAnswer, type Encoding } from './assets.ts'
import { pageTag } from './console.ts'
import { type Handler, matches } from './message.ts'

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
export function createPlayground(): Handler {
  const page = once(async () => {
    const html = await renderPage()
    return { etag: `W/${pageTag(html)}`, bodies: await compressed(Buffer.from(html)) }
  })
  return async (request) => {
    const { etag, bodies } = await page()
    const shared = { etag, vary: 'Accept, Accept-Encoding', 'cache-control': 'no-cache' }
    if (matches(request.headers['if-none-match'], etag)) return { status: 304, headers: shared, body: '' }
    const read = async (encoding: Encoding | null) => bodies[encoding ?? 'plain']
    const asset = { contentType: 'text/html; charset=utf-8', encodings: ['br', 'gzip'], read } as const
    const response = await assetAnswer(asset, request)
    return { ...response, headers: { ...response.headers, ...shared, ...guard } }
  }
}

const guard = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

async function renderPage(): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  return renderGraphiQL({
    title: 'GraphQL',
    endpoint: '/graphql',
    credentials: 'same-origin',
    defaultQuery: firstQuery,
  })
}

/** Above this level, Brotli takes seconds to save a few per cent. */
const quality = { [constants.BROTLI_PARAM_QUALITY]: 5 }

/** Compresses in the platform's threads, so that only requests for the page wait for it. */
async function compressed(plain: Buffer): Promise<Record<Encoding | 'plain', Uint8Array>> {
  const params = { ...quality, [constants.BROTLI_PARAM_SIZE_HINT]: plain.byteLength }
  const [br, gz] = await Promise.all([promisify(brotliCompress)(plain, { params }), promisify(gzip)(plain)])
  return { plain, br, gzip: gz }
}
