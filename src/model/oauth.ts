import type { Permission } from './registry.ts'

/** What clients may ask for. `write` includes `read`. */
export const oauthScopes = ['read', 'write'] as const
export type OauthScope = (typeof oauthScopes)[number]

/** How long each kind of token lives, in seconds. */
export const lifetimes = { code: 60, access: 3600, refresh: 30 * 86_400 } as const

export const oauthErrors = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'invalid_target',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'access_denied',
  'invalid_redirect_uri',
  'invalid_client_metadata',
] as const
export type OauthErrorCode = (typeof oauthErrors)[number]

/** An error of OAuth (RFC 6749, 7591, 8707), for the client. `redirect` is where the person's browser takes it. */
export class OauthError extends Error {
  override readonly name = 'OauthError'
  readonly code: OauthErrorCode
  readonly redirect: Redirect | null

  constructor(code: OauthErrorCode, description: string, redirect: Redirect | null = null) {
    super(description)
    this.code = code
    this.redirect = redirect
  }
}

/** Where an authorization request is answered. */
export interface Redirect {
  uri: string
  state: string | undefined
}

/** A valid authorization request. */
export interface AuthorizationRequest {
  client: { id: string; name: string }
  redirect: Redirect
  /** What the client asks for. */
  scopes: readonly OauthScope[]
  codeChallenge: string
}

/** What a person leaves to the client. Null where it takes nothing away. */
export interface Consent {
  namespace: string | null
  scopePrefix: string | null
  readOnly: boolean
}

export const permsOf = (scopes: readonly OauthScope[]): Permission[] =>
  scopes.includes('write') ? ['read', 'write'] : ['read']

/** The address with these parameters added to its own. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const address = new URL(uri)
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) address.searchParams.append(name, value)
  }
  return address.href
}
