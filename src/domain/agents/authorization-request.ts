import { type AuthorizationRequest, OauthError, type OauthScope, oauthScopes } from '../../model/oauth.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { parameter, required, requireResource } from './parameters.ts'
import { isRegistered } from './redirect-uri.ts'
import { findClient } from './register-client.ts'

/**
 * Checks a request for a person's consent. Throws an `OauthError`: without `redirect` while it is not certain that the
 * address of the answer is the client's.
 */
export async function checkAuthorizationRequest(
  deps: Pick<Bindings, 'catalog' | 'clock'>,
  parameters: URLSearchParams,
  base: string,
): Promise<AuthorizationRequest> {
  const client = await findClient(deps, required(parameters, 'client_id'))
  if (!client) throw new OauthError('invalid_client', 'client_id: must be that of a registered client')
  const uri = required(parameters, 'redirect_uri')
  if (!isRegistered(uri, client.redirectUris))
    throw new OauthError('invalid_request', 'redirect_uri: must be one that the client registered')
  const redirect = { uri, state: parameters.getAll('state').at(0) }
  try {
    return { client, redirect, ...readRequest(parameters, base) }
  } catch (error) {
    throw error instanceof OauthError ? new OauthError(error.code, error.message, redirect) : error
  }
}

function readRequest(parameters: URLSearchParams, base: string) {
  parameter(parameters, 'state')
  if (parameter(parameters, 'response_type') !== 'code')
    throw new OauthError('unsupported_response_type', 'response_type: must be code')
  if (parameter(parameters, 'code_challenge_method') !== 'S256')
    throw new OauthError('invalid_request', 'code_challenge_method: must be S256')
  const codeChallenge = required(parameters, 'code_challenge')
  if (!/^[\w-]{43}$/.test(codeChallenge))
    throw new OauthError('invalid_request', 'code_challenge: must be a SHA-256 in base64url without padding')
  requireResource(parameter(parameters, 'resource'), base)
  return { codeChallenge, scopes: readScopes(parameter(parameters, 'scope')) }
}

/** Without any, the client only reads. */
function readScopes(text = 'read'): OauthScope[] {
  const asked = text.split(' ').filter((word) => word !== '')
  const unknown = asked.find((word) => !oauthScopes.some((scope) => scope === word))
  if (unknown !== undefined) throw new OauthError('invalid_scope', `scope: must be of ${oauthScopes.join(', ')}`)
  return oauthScopes.filter((scope) => asked.includes(scope))
}
