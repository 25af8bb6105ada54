import { noSuchRoute } from '../../errors.ts'
import { OauthError, oauthScopes } from '../../model/oauth.ts'
import type { Mount } from '../handlers.ts'
import { withRequestId } from '../handlers.ts'
import {
  type Handler,
  type HttpRequest,
  type HttpResponse,
  json,
  methodNotAllowed,
  privateHeaders,
  requestIdOf,
  splitTarget,
  withFailures,
} from '../message.ts'
import { baseOf, ownPages, pageProblemOf, withCors } from '../origin.ts'
import { createConsent } from './consent.ts'
import { bodyLimit, errorAddress, type OauthOptions, readJson, readParameters } from './options.ts'

/** OAuth 2.1 for agents of people: metadata, registration, authorization, tokens, and the page that asks a person. */
export function createOauthMounts(options: OauthOptions): Mount[] {
  const { agents, isOpen, publicOrigin, allowedOrigins, log } = options
  const base = (request: HttpRequest) => baseOf(request, publicOrigin)
  const own = ownPages(publicOrigin, allowedOrigins)

  const answering = (methods: readonly string[], handler: Handler, origins = allowedOrigins): Handler => {
    const checked: Handler = async (request) => {
      if (!methods.includes(request.method)) return methodNotAllowed(methods)
      // Anyone may register a client: also a page under a stranger's name that leads here.
      const problem = request.method === 'POST' ? pageProblemOf(own)(request.headers) : null
      if (problem !== null) throw problem
      return handler(request).catch((error: unknown) => {
        if (error instanceof OauthError) return errorAnswer(request, error)
        throw error
      })
    }
    return withRequestId(withCors(withFailures(checked, log), origins))
  }

  const register: Handler = async (request) => {
    if (!isOpen) throw noSuchRoute(request.method, request.target)
    const client = await agents.register(await readJson(request))
    return json(201, {
      client_id: client.id,
      client_id_issued_at: Math.floor(client.createdAt / 1000),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      application_type: client.applicationType,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
  }

  /** A valid request goes to the page, with its parameters as they are. */
  const authorize: Handler = async (request) => {
    const { query } = splitTarget(request.target)
    try {
      await agents.check(readParameters(query), base(request))
    } catch (error) {
      if (error instanceof OauthError && error.redirect) return redirect(errorAddress(error, base(request)))
      throw error
    }
    return redirect(`${paths.consent}?${query}`)
  }

  const token: Handler = async (request) => {
    const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
    if (type !== 'application/x-www-form-urlencoded')
      throw new OauthError('invalid_request', 'the body must be application/x-www-form-urlencoded')
    const parameters = readParameters(Buffer.from(await request.body(bodyLimit)).toString())
    return json(200, await agents.exchange(parameters, base(request), requestIdOf(request.headers)))
  }

  const consent = createConsent(options, base)
  return [
    { path: paths.resource, handler: answering(['GET'], async (r) => json(200, resourceMetadata(base(r)))) },
    { path: paths.server, handler: answering(['GET'], async (r) => json(200, serverMetadata(base(r), isOpen))) },
    { path: paths.register, handler: answering(['POST'], register) },
    { path: paths.authorize, handler: answering(['GET'], authorize) },
    { path: paths.token, handler: answering(['POST'], token) },
    { path: paths.consent, handler: answering(['GET', 'POST'], consent.page, []) },
    ...consent.assets,
  ]
}

const redirect = (location: string): HttpResponse => ({
  status: 302,
  headers: { ...privateHeaders, location },
  body: '',
})

/** RFC 6749, 5.2. */
function errorAnswer({ record }: HttpRequest, { code, message }: OauthError): HttpResponse {
  record.error = code
  return json(400, { error: code, error_description: message })
}

/** The paths of the authorization server. Clients read them from its metadata. */
export const paths = {
  resource: '/.well-known/oauth-protected-resource/mcp',
  server: '/.well-known/oauth-authorization-server',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  consent: '/consent',
} as const

/** RFC 9728: what `/mcp` accepts, and from whom. */
const resourceMetadata = (base: string) => ({
  resource: `${base}/mcp`,
  authorization_servers: [base],
  scopes_supported: oauthScopes,
  bearer_methods_supported: ['header'],
})

/** RFC 8414: the service is its own issuer. */
const serverMetadata = (base: string, isOpen: boolean) => ({
  issuer: base,
  authorization_endpoint: `${base}${paths.authorize}`,
  token_endpoint: `${base}${paths.token}`,
  ...(isOpen && { registration_endpoint: `${base}${paths.register}` }),
  scopes_supported: oauthScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
})
