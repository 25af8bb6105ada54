import { z } from 'zod'
import { badRequest, unauthorized } from '../../errors.ts'
import { type AuthorizationRequest, OauthError, withParameters } from '../../model/oauth.ts'
import { assetAnswer, ownAsset } from '../assets.ts'
import { guardHeaders } from '../console.ts'
import type { Mount } from '../handlers.ts'
import { type Handler, type HttpRequest, type HttpResponse, json, splitTarget } from '../message.ts'
import { createSameOriginGuard, ownPages } from '../origin.ts'
import type { OauthOptions } from './options.ts'
import { errorAddress, readJson, readParameters } from './options.ts'

const decision = z.strictObject({
  /** The query of the page. */
  request: z.string().max(8192),
  allow: z.boolean(),
  namespace: z.string().max(63).nullable().default(null),
  scope: z.string().max(256).nullable().default(null),
  readOnly: z.boolean().default(false),
})

/**
 * The page where a person lets a client act for it, and the decision. It works without the console, and takes the same
 * policy: its one script comes from the service, and the decision is sent by that script.
 */
export function createConsent(
  { agents, personOf, hasProvider, brand, brandName, publicOrigin, allowedOrigins }: OauthOptions,
  base: (request: HttpRequest) => string,
): { page: Handler; assets: Mount[] } {
  // No page of another origin may decide, not even an allowed one.
  const own = { ...ownPages(publicOrigin, allowedOrigins), origins: publicOrigin === null ? [] : [publicOrigin] }
  const guard = createSameOriginGuard({ brand, own })
  const headers = guardHeaders({ https: publicOrigin?.startsWith('https:') ?? false })
  const script = ownAsset('assets/consent.js', import.meta.url)
  const style = ownAsset('assets/consent.css', import.meta.url)
  const html = (status: number, body: string): HttpResponse => ({
    status,
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body,
  })
  const shell = { brandName, script: `/assets/${script.name}`, style: `/assets/${style.name}` }

  const show: Handler = async (request) => {
    const { query } = splitTarget(request.target)
    if (query === '') return html(200, emptyPage(shell))
    let asked: AuthorizationRequest
    try {
      asked = await agents.check(readParameters(query), base(request))
    } catch (error) {
      if (!(error instanceof OauthError)) throw error
      request.record.error = error.code
      return html(400, errorPage(shell, error))
    }
    const person = await personOf(request)
    if (person === null) return html(200, signInPage(shell, asked, hasProvider))
    return html(200, consentPage(shell, asked, await person.namespaces()))
  }

  const decide: Handler = async (request) => {
    guard(request.headers)
    const read = decision.safeParse(await readJson(request))
    if (!read.success) throw badRequest('the body must be a decision of the consent page')
    const person = await personOf(request)
    if (person === null)
      throw unauthorized('the token of the session has expired: sign in, then send the request again')
    const { request: query, allow, namespace, scope: scopePrefix, readOnly } = read.data
    const iss = base(request)
    const asked = await agents.check(readParameters(query), iss)
    const { redirect } = asked
    if (!allow)
      return json(200, { location: errorAddress(new OauthError('access_denied', 'the person refused', redirect), iss) })
    const code = await person.connect(asked, { namespace, scopePrefix, readOnly })
    return json(200, { location: withParameters(redirect.uri, { code, state: redirect.state, iss }) })
  }

  return {
    page: (request) => (request.method === 'POST' ? decide(request) : show(request)),
    assets: [script, style].map(({ name, asset }) => ({
      path: `/assets/${name}`,
      route: '/assets/{name}',
      handler: async (request) => {
        const response = await assetAnswer(asset, request)
        return { ...response, headers: { ...headers, ...response.headers } }
      },
    })),
  }
}

/** What every page names. */
interface Shell {
  brandName: string
  /** The paths of the assets. */
  script: string
  style: string
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const asHtml = (text: string): string => text.replace(/[&<>"']/g, (one) => entities[one] ?? one)

/** A text of the client's: isolated, so that it cannot change how the sentence around it is read. */
const foreign = (text: string): string => `<strong><bdi>${asHtml(text)}</bdi></strong>`

/** The mark of the console. */
const mark =
  '<svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="7"/><path d="M8 11.5 16 7.5l8 4-8 4z"/><path d="m8 16.5 8 4 8-4M8 21l8 4 8-4"/></svg>'

function page({ brandName, script, style }: Shell, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Connect an agent - ${asHtml(brandName)}</title>
<link rel="stylesheet" href="${style}">
<script src="${script}" defer></script>
</head>
<body>
<header>${mark}<bdi>${asHtml(brandName)}</bdi></header>
<main>
<h1>Connect an agent</h1>
<div>
${main}
<p role="alert" id="problem" hidden></p>
</div>
</main>
</body>
</html>
`
}

/** Who asks, and where its answer goes. */
function client({ client: { name }, redirect }: AuthorizationRequest): string {
  const { hostname, host } = new URL(redirect.uri)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const place = isHere ? `a program on this computer (${foreign(hostname)})` : `the site ${foreign(host)}`
  return `<p>${foreign(name)} asks to act for you. Your answer goes to ${place}. Anyone can choose such a name: allow it only if you started this.</p>`
}

/** The page without a request. */
const emptyPage = (shell: Shell): string =>
  page(shell, '<p>No agent asks for access. Start in your agent: it opens this page.</p>')

const errorPage = (shell: Shell, { code, message }: OauthError): string =>
  page(
    shell,
    `<p>This request is not valid, so nothing was connected. Start again in your agent.</p>
<p class="muted">${asHtml(message)} (<code>${code}</code>)</p>`,
  )

const signInPage = (shell: Shell, request: AuthorizationRequest, hasProvider: boolean): string =>
  page(
    shell,
    `${client(request)}
<p>Sign in to decide.</p>
<form id="sign-in">
<label>E-mail <input name="email" type="email" autocomplete="username" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>${hasProvider ? '\n<button id="provider" type="button">Sign in with single sign-on</button>' : ''}`,
  )

function consentPage(shell: Shell, request: AuthorizationRequest, namespaces: readonly string[]): string {
  const writes = request.scopes.includes('write')
  const options = namespaces.map((name) => `<option>${asHtml(name)}</option>`).join('')
  const may = writes ? 'search, read, write and delete' : 'search and read'
  return page(
    shell,
    `${client(request)}
<p>It may ${may} as you do, less what you take away here. You can end the connection at any time.</p>
<form id="consent">
<label>Namespace <select name="namespace"><option value="">All of mine</option>${options}</select></label>
<label>Scope <input name="scope" maxlength="256" placeholder="All scopes" autocomplete="off" spellcheck="false"></label>
${writes ? '<label class="row"><input name="readOnly" type="checkbox"> Read only</label>\n' : ''}<div class="row">
<button name="allow">Allow</button>
<button name="refuse" type="button">Refuse</button>
</div>
</form>`,
  )
}
