import { createHash } from 'node:crypto'
import { auditEntry } from '../../model/audit-entry.ts'
import { lifetimes, OauthError } from '../../model/oauth.ts'
import type { FoundToken } from '../../ports/catalog.ts'
import { tokenHash } from '../access/tokens.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { mintSecret } from './connect.ts'
import { parameter, required, requireResource } from './parameters.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & { brand: string }

/** RFC 6749, 5.1. */
export interface TokenAnswer {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/**
 * Exchanges a code or a refresh token for new tokens. Each is good once: the second use ends the connection, because
 * one of the two was not the client. Throws an `OauthError`.
 */
export async function exchange(
  deps: Deps,
  parameters: URLSearchParams,
  base: string,
  requestId: string,
): Promise<TokenAnswer> {
  const grant = required(parameters, 'grant_type')
  if (grant !== 'authorization_code' && grant !== 'refresh_token')
    throw new OauthError('unsupported_grant_type', 'grant_type: must be authorization_code or refresh_token')
  const clientId = required(parameters, 'client_id')
  const resource = parameter(parameters, 'resource')
  // A token has only one resource, so it need not be named again.
  if (resource !== undefined) requireResource(resource, base)
  const kind = grant === 'authorization_code' ? 'code' : 'refresh'
  const secret = required(parameters, kind === 'code' ? 'code' : 'refresh_token')
  const found = await deps.catalog.agents.token(tokenHash(secret))
  if (!found || found.kind !== kind || found.connection.clientId !== clientId) throw invalidGrant(kind)
  if (found.expiresAt <= deps.clock.now()) throw invalidGrant(kind)
  if (kind === 'code') checkCode(found, parameters)
  else checkScope(found, parameter(parameters, 'scope'))
  const answer = await issue(deps, found, requestId)
  if (answer === null) throw invalidGrant(kind)
  return answer
}

const invalidGrant = (kind: 'code' | 'refresh') =>
  new OauthError('invalid_grant', kind === 'code' ? 'code: is not valid' : 'refresh_token: is not valid')

/** RFC 7636: the verifier's SHA-256 is the challenge. */
function checkCode({ redirectUri, codeChallenge }: FoundToken, parameters: URLSearchParams): void {
  if (required(parameters, 'redirect_uri') !== redirectUri)
    throw new OauthError('invalid_grant', 'redirect_uri: must be that of the authorization request')
  const verifier = required(parameters, 'code_verifier')
  if (createHash('sha256').update(verifier).digest('base64url') !== codeChallenge)
    throw new OauthError('invalid_grant', 'code_verifier: does not fit the code_challenge')
}

/** A client may name the scopes again. Others need the person's consent. */
function checkScope({ connection }: FoundToken, scope = ''): void {
  const beyond = scope.split(' ').find((word) => word !== '' && !connection.perms.some((perm) => perm === word))
  if (beyond !== undefined) throw new OauthError('invalid_scope', 'scope: must be among those that the person allowed')
}

/** Null if the token was used before: the connection has ended. */
function issue(deps: Deps, { hash, connection, homeId }: FoundToken, requestId: string): Promise<TokenAnswer | null> {
  const { id: connectionId, principalId, clientId, perms } = connection
  const now = deps.clock.now()
  const [access, refresh] = [mintSecret(deps, 'at'), mintSecret(deps, 'rt')]
  return deps.catalog.transact(homeId, async ({ agents, audit }) => {
    if (!(await agents.use(hash, now))) {
      const detail = { client: clientId, reason: 'a token was used twice' }
      if (await agents.remove(principalId, connectionId))
        await audit(auditEntry({ principalId, requestId }, now, 'agent.revoke', connectionId, detail))
      return null
    }
    const common = { connectionId, redirectUri: null, codeChallenge: null }
    await agents.issue([
      { ...common, hash: tokenHash(access), kind: 'access', expiresAt: now + lifetimes.access * 1000 },
      { ...common, hash: tokenHash(refresh), kind: 'refresh', expiresAt: now + lifetimes.refresh * 1000 },
    ])
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: lifetimes.access,
      refresh_token: refresh,
      scope: perms.join(' '),
    }
  })
}
