import { oauthScopes } from '../../model/oauth.ts'

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
export const resourceMetadata = (base: string) => ({
  resource: `${base}/mcp`,
  authorization_servers: [base],
  scopes_supported: oauthScopes,
  bearer_methods_supported: ['header'],
})

/** RFC 8414: the service is its own issuer. */
export const serverMetadata = (base: string, isOpen: boolean) => ({
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
