import { createHash } from 'node:crypto'
import { badRequest, forbidden, InvalidInputError, namespaceNotGranted, notFound, unauthorized } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import { type AuthorizationRequest, type Consent, lifetimes, OauthError, permsOf } from '../../model/oauth.ts'
import { isScopePath } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { AgentConnection, FoundToken } from '../../ports/catalog.ts'
import { enter } from '../access/gate.ts'
import { tokenHash } from '../access/tokens.ts'
import { type BackgroundTask, every } from '../background/background.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import {
  checkAuthorizationRequest,
  parameter,
  registerClient,
  required,
  requireResource,
  unconsentedMs,
} from './clients.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & Pick<DomainSettings, 'brand' | 'sweeping'>

const maxConnections = 100

/** Connects a client under a person's consent; returns the code that it exchanges for tokens. Errors: 400, 403. */
async function connectAgent(
  deps: Deps,
  session: Session,
  { client, redirect, scopes, codeChallenge }: AuthorizationRequest,
  { namespace, scopePrefix, readOnly }: Consent,
): Promise<string> {
  requirePerson(session)
  if (scopePrefix !== null && !isScopePath(scopePrefix))
    throw new InvalidInputError(['scope'], 'must be a scope path such as acme/backend')
  const { principalId, facts } = session
  const now = deps.clock.now()
  const entry = namespace === null ? null : await enter(deps.catalog.access, principalId, namespace, now)
  if (namespace !== null && !entry?.found) throw namespaceNotGranted()
  const perms = readOnly ? (['read'] as const) : permsOf(scopes)
  const code = mintSecret(deps, 'ac')
  const connection = {
    id: deps.random.id('agent'),
    ...{ principalId, perms, scopePrefix, clientId: client.id, clientName: client.name },
    namespaceId: entry?.found?.namespace.id ?? null,
    createdAt: now,
  }
  const token = {
    hash: tokenHash(code),
    connectionId: connection.id,
    kind: 'code' as const,
    expiresAt: now + lifetimes.code * 1000,
    redirectUri: redirect.uri,
    codeChallenge,
  }
  await deps.catalog.transact(facts.caller.home.id, async ({ agents, audit }) => {
    if ((await agents.list(principalId, now)).length >= maxConnections)
      throw badRequest(`a person may have at most ${maxConnections} agent connections: revoke one first`)
    if (!(await agents.connect(connection, token))) throw unauthorized()
    const detail = { client: client.id, perms: perms.join(','), namespace, scope_prefix: scopePrefix }
    await audit(auditEntry(session, now, 'agent.connect', connection.id, detail))
  })
  return code
}

/** `<brand>_<kind>_<43 base62>`: shown once; only its hash is stored. */
const mintSecret = ({ brand, random }: Pick<Deps, 'brand' | 'random'>, kind: 'ac' | 'at' | 'rt'): string =>
  `${brand}_${kind}_${random.base62(43)}`

/** Agents act for people: no key, and no agent, may connect or manage them. */
function requirePerson({ facts }: Session): void {
  if (facts.caller.superAdmin || facts.keyHash !== undefined)
    throw forbidden('an API key may not use agent connections: use the session of a signed-in person')
}

/** The agents that a person has connected, oldest first. */
async function listAgents({ catalog, clock }: Deps, session: Session): Promise<AgentConnection[]> {
  requirePerson(session)
  return catalog.agents.list(session.principalId, clock.now())
}

/** Ends a connection at once. One that is unknown, or another person's, is not found. */
async function revokeAgent({ catalog, clock }: Deps, session: Session, id: string) {
  requirePerson(session)
  const { principalId, facts } = session
  const now = clock.now()
  await catalog.transact(facts.caller.home.id, async ({ agents, audit }) => {
    const connection = (await agents.list(principalId, now)).find((one) => one.id === id)
    if (!connection || !(await agents.remove(principalId, id)))
      throw notFound('no such connection: the id must be that of one of your agent connections')
    await audit(auditEntry(session, now, 'agent.revoke', id, { client: connection.clientId }))
  })
  return { revoked: true, id }
}

/** RFC 6749, 5.1. */
interface TokenAnswer {
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
async function exchange(
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

/** Agents of people, by OAuth 2.1. */
export function createAgents(deps: Deps) {
  /** What has expired works no more, swept or not. */
  const sweep = async () => {
    const now = deps.clock.now()
    await deps.catalog.agents.removeExpired(now, now - unconsentedMs)
    return 0
  }
  const tasks: BackgroundTask[] = [
    every(deps.clock, deps.sweeping.everyMs, { name: 'remove expired agent connections', run: sweep }),
  ]
  return {
    tasks,
    register: (metadata: unknown) => registerClient(deps, metadata),
    check: (parameters: URLSearchParams, base: string) => checkAuthorizationRequest(deps, parameters, base),
    exchange: (parameters: URLSearchParams, base: string, requestId: string) =>
      exchange(deps, parameters, base, requestId),
    servicesFor: (session: Session) => ({
      connect: (request: AuthorizationRequest, consent: Consent) => connectAgent(deps, session, request, consent),
      list: () => listAgents(deps, session),
      revoke: (id: string) => revokeAgent(deps, session, id),
    }),
  }
}
