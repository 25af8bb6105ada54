import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { badRequest, unauthorized } from '../../errors.ts'
import { type AuthorizationRequest, OauthError, withParameters } from '../../model/oauth.ts'
import { guardHeaders } from '../console/guard.ts'
import { createSameOriginGuard } from '../csrf.ts'
import { json } from '../json.ts'
import { type Handler, type HttpRequest, type HttpResponse, splitTarget } from '../message.ts'
import { ownPages } from '../origin.ts'
import type { Mount } from '../router.ts'
import { consentPage, emptyPage, errorPage, signInPage } from './consent-page.ts'
import type { OauthOptions } from './options.ts'
import { errorAddress, readJson, readParameters } from './requests.ts'

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
  { agents, personOf, hasProvider, brand, publicOrigin, allowedOrigins }: OauthOptions,
  base: (request: HttpRequest) => string,
): { page: Handler; assets: Mount[] } {
  // No page of another origin may decide, not even an allowed one.
  const own = { ...ownPages(publicOrigin, allowedOrigins), origins: publicOrigin === null ? [] : [publicOrigin] }
  const guard = createSameOriginGuard({ brand, own })
  const headers = guardHeaders({ https: publicOrigin?.startsWith('https:') ?? false })
  const [script, style] = [asset('consent.js'), asset('consent.css')]
  const html = (status: number, body: string): HttpResponse => ({
    status,
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    body,
  })
  const shell = { brand, script: script.path, style: style.path }

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
    assets: [script, style].map(({ path, type, body }) => ({
      path,
      route: '/assets/{name}',
      handler: async () => ({
        status: 200,
        headers: { ...headers, 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' },
        body,
      }),
    })),
  }
}

function asset(name: 'consent.js' | 'consent.css') {
  const body = readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8')
  const [stem, extension] = name.split('.')
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 8)
  const type = extension === 'js' ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'
  return { path: `/assets/${stem}-${hash}.${extension}`, type, body }
}
