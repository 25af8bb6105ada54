import { forbidden, unauthorized } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import { scopeHeader } from '../../model/brand.ts'
import type { Session } from '../../model/session.ts'
import { defaultPlane } from '../../model/unit.ts'
import type { Provisioner } from '../../ports/catalog/provisioner.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { parseItems } from '../input/parse.ts'
import { type EmbeddedUnit, embedUnits } from '../units/embed-units.ts'
import { countStatuses } from '../units/ingest.ts'
import { placeUnits } from '../units/place-units.ts'
import { unitInput } from '../units/unit-input.ts'
import { type WrittenBatch, writeBatch } from '../units/write-batch.ts'
import type { SeedUnit } from './content/seed-unit.ts'
import { seedScopes, seedUnits } from './dataset.ts'
import { keepFiles } from './keep-files.ts'
import { demoAdmin, type SeedPrincipal, seedPrincipals } from './principals.ts'
import { type Provisioned, provisionPrincipals, sessionOf } from './provision.ts'
import { reopenScopes } from './reopen-scopes.ts'

export interface SeedResult {
  principals: readonly SeedPrincipal[]
  scopes: readonly string[]
  /** By token name; shown only now. */
  tokens: Record<string, string>
  counts: { principals: number; scopes: number; units: number; created: number; updated: number; unchanged: number }
}

type Deps = Pick<Bindings, 'catalog' | 'identity' | 'inference' | 'objects' | 'clock' | 'random' | 'log'> & {
  indexer: Indexer
  ingestWaitMs: number
  inferenceTimeoutMs: number
  brand: string
  openSeed: boolean
}

/**
 * (Re)seeds the demo dataset and rotates the seeded tokens. Changes only what the seed created. Open while no principal
 * exists; afterwards only for the super-admin and an unrestricted admin of `demo`. One transaction: a crash leaves
 * either nothing or all of it.
 */
export async function seed(deps: Deps, caller: Session | null, requestId: string): Promise<SeedResult> {
  // Checked before anything is embedded, and again under the lock.
  requireSeeder(caller, deps.openSeed && !(await deps.catalog.access.hasPrincipals()))
  const embedded = await embedSeed(deps)
  const done = await deps.catalog.provision((tx) => writeSeed(deps, tx, caller, embedded, requestId), {
    kept: (all) => ({ ...all, written: { ...all.written, changes: null } }),
  })
  await deps.identity.forget(done.revoked)
  const { namespaceId, written, tokens } = done
  if (written.changes) deps.indexer.offer(namespaceId, written.changes)
  await deps.indexer.waitFor(namespaceId, written.seq, deps.ingestWaitMs)
  const counts = { principals: seedPrincipals.length, scopes: seedScopes.length, units: seedUnits.length }
  return {
    principals: seedPrincipals,
    scopes: seedScopes,
    tokens,
    counts: { ...counts, ...countStatuses(written.results) },
  }
}

async function writeSeed(
  deps: Deps,
  tx: Provisioner,
  caller: Session | null,
  embedded: readonly EmbeddedUnit[],
  requestId: string,
): Promise<Provisioned & { namespaceId: string; written: WrittenBatch }> {
  // Decided under the lock: of two concurrent first runs, only one is the first.
  requireSeeder(caller, deps.openSeed && !(await tx.hasPrincipals()))
  const provisioned = await provisionPrincipals(deps, tx)
  const admin = await sessionOf(tx, demoAdmin, requestId, deps.clock.now())
  placeUnits(admin, embedded, scopeHeader(deps.brand))
  const namespaceId = admin.namespace.id
  const writer = await tx.within(namespaceId)
  await reopenScopes(writer, admin, deps.clock.now())
  const units = await keepFiles(deps, writer, admin.principalId, embedded)
  const written = await writeBatch(deps, admin, writer, units)
  const actor = { principalId: caller?.principalId ?? 'anonymous', requestId }
  const detail = { principals: seedPrincipals.length, units: seedUnits.length }
  await writer.audit(auditEntry(actor, deps.clock.now(), 'seed.run', null, detail))
  return { ...provisioned, namespaceId, written }
}

/** The seeded Units with their vectors, for any namespace. */
async function embedSeed(deps: Deps): Promise<EmbeddedUnit[]> {
  const units = await parseItems(unitInput, seedUnits.map(toInput), ['units'])
  const placed = units.map((unit) => ({
    ...unit,
    scope: unit.scope ?? seedScopes[0],
    plane: unit.plane ?? defaultPlane(unit.modality),
  }))
  return embedUnits(deps, demoAdmin.namespace, placed)
}

/** The seed returns tokens with all rights of the seeded admin, so the caller must have the same rights. */
function requireSeeder(caller: Session | null, isFirstRun: boolean): void {
  if (!caller && isFirstRun) return
  if (!caller) throw unauthorized()
  if (caller.namespace.name !== demoAdmin.namespace) throw forbidden('seeding requires an admin of the demo namespace')
  admit(caller, 'seed')
  const holdsGroups = caller.facts.caller.superAdmin || demoAdmin.groups.every((g) => caller.groupsAt('*').includes(g))
  if (!holdsGroups) throw forbidden(`seeding requires an admin in the groups ${demoAdmin.groups.join(', ')}`)
}

const toInput = ({ metadata, file: _, ...unit }: SeedUnit) => ({ ...unit, metadata: metadata ?? {} })
