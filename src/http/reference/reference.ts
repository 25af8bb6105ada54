import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { noSuchRoute } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import { type Asset, assetAnswer, ownAsset, readAssets } from '../assets.ts'
import { guardHeaders, pageTag } from '../console.ts'
import type { Mount } from '../handlers.ts'
import { withRequestId } from '../handlers.ts'
import { type Handler, type HttpRequest, type HttpResponse, matches, splitTarget, withFailures } from '../message.ts'

export interface ReferenceOptions {
  brand: string
  /** Whether browsers reach the service over https. */
  https: boolean
  log: Log
}

/** What `npm run build:reference` writes: one folder, whose name has the version. */
const build = new URL('dist/', import.meta.url)

const root = '/reference'

/**
 * The program writes styles into the page, and its icons are in them. Scripts come from the service alone, and nothing
 * is sent elsewhere.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The page that shows openapi.json and sends requests with the reader's own key. Nothing of it is read before someone
 * opens it.
 */
export function createReferenceMounts({ brand, https, log }: ReferenceOptions): Mount[] {
  const guard = guardHeaders({ https }, policy)
  const guarded = (handler: Handler): Handler =>
    withRequestId(
      withFailures(async (request) => {
        if (request.method !== 'GET') throw noSuchRoute(request.method, request.target)
        const response = await handler(request)
        return { ...response, headers: { ...guard, ...response.headers } }
      }, log),
    )
  let opened: Reference | undefined
  const open = () => {
    opened ??= readReference(brand)
    return opened
  }
  return [
    { path: root, handler: guarded(async (request) => page(open().html, request)) },
    {
      path: `${root}/`,
      route: `${root}/{name}`,
      handler: guarded(async (request) => {
        const asset = open().assets.get(splitTarget(request.target).path.slice(root.length + 1))
        if (asset === undefined) throw noSuchRoute(request.method, request.target)
        return assetAnswer(asset, request)
      }),
    },
  ]
}

interface Reference {
  html: string
  assets: ReadonlyMap<string, Asset>
}

function readReference(brand: string): Reference {
  const [folder] = existsSync(build) ? readdirSync(build).filter((name) => /^scalar-[\d.]+$/.test(name)) : []
  if (folder === undefined) return { html: notBuilt, assets: new Map() }
  const script = ownAsset('assets/reference.js', import.meta.url, (text) =>
    text.replace("'scalar'", `'./${folder}/standalone.esm.js'`),
  )
  const style = ownAsset('assets/reference.css', import.meta.url)
  return {
    html: shell(brand, script.name, style.name),
    assets: new Map([...readAssets(fileURLToPath(build)), [script.name, script.asset], [style.name, style.asset]]),
  }
}

function page(html: string, { headers }: HttpRequest): HttpResponse {
  const etag = pageTag(html)
  const common = { etag, 'cache-control': 'no-cache' }
  if (matches(headers['if-none-match'], etag)) return { status: 304, headers: common, body: '' }
  return { status: 200, headers: { ...common, 'content-type': 'text/html; charset=utf-8' }, body: html }
}

const shell = (brand: string, script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference - ${brand}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}/${style}">
<script type="module" src="${root}/${script}"></script>
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. <a href="/openapi.json">openapi.json</a> has the same in one file.</noscript>
</body>
</html>
`

const notBuilt = `<!doctype html>
<html lang="en">
<title>The API reference is not built</title>
<h1>The API reference is not built</h1>
<p>Run <code>npm run build:reference</code>, which needs a network, then start the service again. The API works without
it, and <a href="/openapi.json">openapi.json</a> describes it.</p>
</html>
`
