import { auditEntry } from '../../model/audit-entry.ts'
import { RefusedError } from '../../model/operator-error.ts'
import type { Provisioner } from '../../ports/catalog.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { seedScopes } from './dataset.ts'
import { demoAdmin, type Provisioned, provisionPrincipals, seedPrincipals } from './principals.ts'
import type { SeedResult } from './seed.ts'

type Deps = Pick<Bindings, 'catalog' | 'identity' | 'clock' | 'random'> & { brand: string }

/**
 * Replaces the seeded tokens, for an operator who lost them; it needs no token. It creates missing principals and
 * grants of the seed again, and leaves its content unchanged. Throws a `RefusedError` if nothing was ever seeded.
 */
export async function rotateSeedTokens(deps: Deps, requestId: string): Promise<Omit<SeedResult, 'counts'>> {
  const { tokens, revoked } = await deps.catalog.provision(async (tx): Promise<Provisioned> => {
    const demo = await tx.access.namespace(demoAdmin.namespace)
    if (!demo || !(await wasSeeded(tx, demo.namespace.id, deps.clock.now()))) {
      throw new RefusedError('nothing was seeded here; start the service and POST /v1/admin/seed')
    }
    const provisioned = await provisionPrincipals(deps, tx)
    const actor = { principalId: 'system', requestId }
    const detail = { principals: seedPrincipals.length }
    await tx.audit(demo.namespace.id, auditEntry(actor, deps.clock.now(), 'seed.rotate', null, detail))
    return provisioned
  })
  await deps.identity.forget(revoked)
  return { principals: seedPrincipals, scopes: seedScopes, tokens }
}

/** True also if the demo admin was deleted since. */
const wasSeeded = async ({ access }: Provisioner, namespaceId: string, now: number) =>
  (await access.membership(demoAdmin.principalId, demoAdmin.namespace, now)) !== null ||
  access.wasDeleted(namespaceId, demoAdmin.principalId)
