import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../model/log.ts'
import { type Asset, assetAnswer, readAssets } from './assets.ts'
import { names, withRequestId } from './handlers.ts'
import { type Handler, type HttpRequest, type HttpResponse, matches, splitTarget, withFailures } from './message.ts'

interface ConsoleOptions {
  /** Null if the console is not built. */
  build: ConsoleBuild | null
  /** Whether browsers reach the service over https. */
  https: boolean
  log: Log
}

const assetPrefix = '/assets/'

/** Serves the console's pages and assets; `next` answers everything else, such as what no browser asked for. */
export function withConsole(next: Handler, { build, https, log }: ConsoleOptions): Handler {
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
    return guarded(withFailures((request) => assetAnswer(asset, request), log))(request)
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

/** A build of the console, as `npm run build:console` leaves it. */
interface ConsoleBuild {
  /** The page. */
  html: string
  etag: string
  /** Null for a name that the build does not have. */
  asset(name: string): Asset | null
}

/** Null if the console is not built. The names are written into the page: it needs `brand` for its first request. */
export function readBuild(
  directory: string,
  { brand, brandName }: { brand: string; brandName: string },
): ConsoleBuild | null {
  const name = escapeHtml(brandName)
  const html = readPage(directory)
    ?.replace('name="brand" content="svc"', () => `name="brand" content="${brand}"`)
    .replaceAll('Multimodal Retrieval', () => name)
  if (html === undefined) return null
  const assets = readAssets(join(directory, 'assets'))
  return { html, etag: pageTag(html), asset: (name) => assets.get(name) ?? null }
}

const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The entity tag of a page. */
export const pageTag = (html: string): string => `"${createHash('sha256').update(html).digest('hex').slice(0, 32)}"`

function readPage(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, 'index.html'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Where the sign-in leads when it failed and does not know where it was begun, as when it took too long. */
const failurePath = '/api/auth/error'

/** Leads a browser from there to the sign-in page, which says why; `next` answers everything else. */
export function withFailedSignIn(next: Handler, { build, https }: Omit<ConsoleOptions, 'log'>): Handler {
  const guard = guardHeaders({ https })
  const redirect = withRequestId(async (request) => toSignIn(request, guard))
  return (request) => {
    const { method, target, headers, record } = request
    const isFailure = method === 'GET' && splitTarget(target).path === failurePath
    if (build === null || !isFailure || !names(headers.accept, 'text/html')) return next(request)
    record.route = failurePath
    return redirect(request)
  }
}

/** The address may be a stranger's: of what it says only a code is passed on. */
function toSignIn({ target }: HttpRequest, guard: Record<string, string>): HttpResponse {
  const code = new URLSearchParams(splitTarget(target).query).get('error') ?? ''
  const location = `/welcome?error=${/^\w{1,64}$/.test(code) ? code : 'unknown'}`
  return { status: 303, headers: { ...guard, location, 'cache-control': 'no-store', vary: 'Accept' }, body: '' }
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** What a browser may do with the page and its assets: load from here alone, run nothing inline, be framed nowhere. */
export function guardHeaders({ https }: { https: boolean }, contentPolicy = policy): Record<string, string> {
  return {
    'content-security-policy': contentPolicy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    ...(https ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

/** The pages of the console; everything else is not its own. */
const pages = new Set([
  '/',
  '/welcome',
  '/consent',
  '/join',
  '/reset-password',
  '/search',
  '/ask',
  '/documents',
  '/view',
  '/access/members',
  '/access/principals',
  '/access/grants',
  '/access/groups',
  '/access/invitations',
  '/access/keys',
  '/access/explain',
  '/audit',
  '/usage',
  '/evaluation',
  '/health',
  '/settings',
])

/** The template of the page at `path`, null if there is none. */
function pageAt(path: string): string | null {
  if (pages.has(path)) return path
  return /^\/audit\/receipts\/\d{1,16}$/.test(path) ? '/audit/receipts/{seq}' : null
}
