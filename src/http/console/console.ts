import { names } from '../accept.ts'
import { assetAnswer } from '../assets.ts'
import { matches } from '../entity-tags.ts'
import { type Handler, type HttpRequest, type HttpResponse, splitTarget } from '../message.ts'
import { withRequestId } from '../request-id.ts'
import type { ConsoleBuild } from './build.ts'
import { guardHeaders } from './guard.ts'
import { pageAt } from './routes.ts'

export interface ConsoleOptions {
  /** Null if the console is not built. */
  build: ConsoleBuild | null
  /** Whether browsers reach the service over https. */
  https: boolean
}

const assetPrefix = '/assets/'

/** Serves the console's pages and assets; `next` answers everything else, such as what no browser asked for. */
export function withConsole(next: Handler, { build, https }: ConsoleOptions): Handler {
  const guard = guardHeaders({ https })
  const guarded = (handler: Handler) =>
    withRequestId(async (request) => {
      const response = await handler(request)
      return { ...response, headers: { ...guard, ...response.headers } }
    })
  return (request) => {
    const { path } = splitTarget(request.target)
    if (request.method !== 'GET') return next(request)
    const page = pageAt(path)
    if (page !== null && names(request.headers.accept, 'text/html') && (build !== null || page === '/')) {
      request.record.route = page
      return guarded(async () => (build === null ? notBuilt : shell(build, request)))(request)
    }
    const asset = path.startsWith(assetPrefix) ? build?.asset(path.slice(assetPrefix.length)) : null
    if (!asset) return next(request)
    request.record.route = '/assets/{name}'
    return guarded(() => assetAnswer(asset, request))(request)
  }
}

function shell({ html, etag }: ConsoleBuild, { headers }: HttpRequest): HttpResponse {
  const common = { etag, 'cache-control': 'no-cache', vary: 'Accept' }
  if (matches(headers['if-none-match'], etag)) return { status: 304, headers: common, body: '' }
  return { status: 200, headers: { ...common, 'content-type': 'text/html; charset=utf-8' }, body: html }
}

const notBuilt: HttpResponse = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache', vary: 'Accept' },
  body: `<!doctype html>
<html lang="en">
<title>The console is not built</title>
<h1>The console is not built</h1>
<p>Run <code>npm run build:console</code>, then start the service again. The API works without it.</p>
</html>
`,
}
