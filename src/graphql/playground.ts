/**
 * GraphiQL as one page that needs no network: script, styles and workers are inlined. The policy makes sure of it, and
 * of the page's isolation: it may talk to its own origin only, and nobody may frame it.
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

/** Renders the page once, when it is first asked for: the bundle is 9 MB, and most processes never serve it. */
export function createPlayground(title = 'GraphQL'): () => Promise<Response> {
  let page: Promise<Uint8Array<ArrayBuffer>> | undefined
  return async () => {
    page ??= renderPage(title)
    return new Response(await page, {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      },
    })
  }
}

async function renderPage(title: string): Promise<Uint8Array<ArrayBuffer>> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql')
  return new TextEncoder().encode(renderGraphiQL({ title, endpoint: '/graphql', credentials: 'same-origin' }))
}
