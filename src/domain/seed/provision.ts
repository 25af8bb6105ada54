import { Session } from '../../model/session.ts'
import type { Provisioner } from '../../ports/catalog/provisioner.ts'
import { enter } from '../access/enter.ts'
import { mintToken, tokenHash } from '../access/tokens.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { type SeedPrincipal, seedPrincipals } from './principals.ts'

type Deps = Pick<Bindings, 'clock' | 'random'> & { brand: string }

export interface Provisioned {
  /** By token name; shown only now. */
  tokens: Record<string, string>
  /** Hashes of the replaced tokens. */
  revoked: string[]
}

/** Creates missing seeded principals with their namespaces and grants, and replaces their tokens. */
export async function provisionPrincipals(deps: Deps, tx: Provisioner): Promise<Provisioned> {
  const tokens: Record<string, string> = {}
  const revoked: string[] = []
  for (const principal of seedPrincipals) {
    const token = mintToken(deps.brand, principal.token, deps.random)
    revoked.push(...(await provision(deps, tx, principal, token)))
    tokens[principal.token] = token
  }
  return { tokens, revoked }
}

async function provision(deps: Deps, tx: Provisioner, principal: SeedPrincipal, token: string): Promise<string[]> {
  const createdAt = deps.clock.now()
  const { principalId, groups, readOnly, scope, perms } = principal
  const namespace = await tx.ensureNamespace({
    id: deps.random.id('ns'),
    name: principal.namespace,
    tier: principal.tier,
    createdAt,
  })
  await tx.ensurePrincipal({
    principalId,
    namespaceId: namespace.id,
    kind: 'user',
    groups,
    readOnly,
    activeScope: '*',
    createdAt,
  })
  await tx.ensureGrant(namespace.id, {
    id: deps.random.id('grant'),
    principalId,
    scope,
    perms,
    groups: [],
    grantedBy: 'seed',
    createdAt,
    expiresAt: null,
  })
  return tx.replaceTokens(principalId, {
    hash: tokenHash(token),
    id: deps.random.id('key'),
    name: principal.token,
    createdAt,
    expiresAt: null,
    restrictions: {},
  })
}

/** A session of a seeded principal, from the state of the transaction. */
export async function sessionOf(
  tx: Provisioner,
  principal: SeedPrincipal,
  requestId: string,
  now: number,
): Promise<Session> {
  const found = (await enter(tx.access, principal.principalId, principal.namespace, now))?.found
  if (!found) throw new Error(`the seeded principal ${principal.principalId} is missing`)
  return new Session({ ...found, restrictions: {}, requestedScope: '*', requestId })
}
