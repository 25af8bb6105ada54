import { forbidden, unauthorized } from '../../errors.ts'
import { Session } from '../../model/session.ts'
import type { Provisioner } from '../../ports/provisioner.ts'
import { mintToken, tokenHash } from '../access/tokens.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import type { Bindings } from '../deps.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { ingest } from '../units/ingest.ts'
import type { SeedUnit } from './content/seed-unit.ts'
import { seedScopes, seedUnits } from './dataset.ts'
import { demoAdmin, type SeedPrincipal, seedPrincipals } from './principals.ts'
import { reopenScopes } from './reopen-scopes.ts'

export interface SeedResult {
  principals: readonly SeedPrincipal[]
  scopes: readonly string[]
  /** By token name; shown this once. */
  tokens: Record<string, string>
  counts: { principals: number; scopes: number; units: number; created: number; updated: number; unchanged: number }
}

type Deps = Pick<Bindings, 'catalog' | 'identity' | 'inference' | 'clock' | 'random' | 'log'> & {
  indexer: Indexer
  ingestWaitMs: number
  inferenceTimeoutMs: number
  brand: string
  openSeed: boolean
}

/**
 * (Re)seeds the demo dataset and rotates the seeded tokens. Touches nothing that seeding did not make.
 * Open while no principal exists; afterwards for an admin of `demo` and the super-admin.
 */
export async function seed(deps: Deps, caller: Session | null, requestId: string): Promise<SeedResult> {
  const tokens = await provisionPrincipals(deps, caller)
  const admin = await sessionOf(deps, demoAdmin, requestId)
  await reopenScopes(deps, admin)
  const { counts } = await ingest(deps, admin, { units: seedUnits.map(toInput) })
  await deps.catalog.transact(admin.namespace.id, (tx) =>
    tx.audit(
      auditEntry({ principalId: caller?.principalId ?? 'anonymous', requestId }, deps.clock.now(), 'seed.run', null, {
        principals: seedPrincipals.length,
        units: seedUnits.length,
      }),
    ),
  )
  return {
    principals: seedPrincipals,
    scopes: seedScopes,
    tokens,
    counts: { principals: seedPrincipals.length, scopes: seedScopes.length, units: seedUnits.length, ...counts },
  }
}

async function provisionPrincipals(deps: Deps, caller: Session | null): Promise<Record<string, string>> {
  const minted = seedPrincipals.map((principal) => ({
    principal,
    token: mintToken(deps.brand, principal.token, deps.random),
  }))
  const revoked = await deps.catalog.provision(async (tx) => {
    // Decided under the lock: of two first runs at once, one is the second.
    const isFirstRun = deps.openSeed && !(await tx.hasPrincipals())
    if (!isFirstRun) requireSeeder(caller)
    const old: string[] = []
    for (const { principal, token } of minted) old.push(...(await provision(deps, tx, principal, token)))
    return old
  })
  await deps.identity.forget(revoked)
  return Object.fromEntries(minted.map(({ principal, token }) => [principal.token, token]))
}

function requireSeeder(caller: Session | null): void {
  if (!caller) throw unauthorized()
  if (caller.namespace.name !== demoAdmin.namespace || !caller.isAdmin) {
    throw forbidden('seeding takes an admin of the demo namespace')
  }
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

async function sessionOf({ catalog }: Deps, principal: SeedPrincipal, requestId: string): Promise<Session> {
  const membership = await catalog.access.membership(principal.principalId, principal.namespace)
  if (!membership?.target) throw new Error(`the seeded principal ${principal.principalId} is missing`)
  return new Session({
    caller: { ...membership.principal, superAdmin: false },
    ...membership.target,
    restrictions: {},
    requestedScope: '*',
    requestId,
  })
}

const toInput = ({ metadata, ...unit }: SeedUnit) => ({ ...unit, metadata: metadata ?? {} })
