import { type CompressedPage, compressPage, matches } from './compressed-page.ts'

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
