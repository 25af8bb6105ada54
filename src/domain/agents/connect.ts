import { badRequest, forbidden, InvalidInputError, namespaceNotGranted, unauthorized } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import { type AuthorizationRequest, type Consent, lifetimes, permsOf } from '../../model/oauth.ts'
import { isScopePath } from '../../model/scope-path.ts'
import type { Session } from '../../model/session.ts'
import { enter } from '../access/enter.ts'
import { tokenHash } from '../access/tokens.ts'
import type { Bindings } from '../bindings/bindings.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & { brand: string }

const maxConnections = 100

/** Connects a client under a person's consent; returns the code that it exchanges for tokens. Errors: 400, 403. */
export async function connectAgent(
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
export const mintSecret = ({ brand, random }: Pick<Deps, 'brand' | 'random'>, kind: 'ac' | 'at' | 'rt'): string =>
  `${brand}_${kind}_${random.base62(43)}`

/** Agents act for people: no key, and no agent, may connect or manage them. */
export function requirePerson({ facts }: Session): void {
  if (facts.caller.superAdmin || facts.keyHash !== undefined)
    throw forbidden('an API key may not use agent connections: use the session of a signed-in person')
}
