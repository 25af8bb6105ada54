import { createHash } from 'node:crypto'
import { forbidden, unauthorized } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import { RefusedError } from '../../model/operator-error.ts'
import { scopeHeader } from '../../model/request.ts'
import type { Session } from '../../model/session.ts'
import { defaultPlane, planes } from '../../model/unit.ts'
import type { NamespaceWriter, Provisioner } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { inspect } from '../sources/content-type.ts'
import { sourceKey } from '../sources/purge-sources.ts'
import { type EmbeddedUnit, embedUnits, placeUnits } from '../units/place-units.ts'
import { countStatuses } from '../units/units.ts'
import { type WrittenBatch, writeBatch } from '../units/write-batch.ts'
import {
  demoAdmin,
  type Provisioned,
  provisionPrincipals,
  readSeedFile,
  readSeedUnits,
  type SeedFile,
  type SeedPrincipal,
  type SeedUnit,
  seedFiles,
  seedPrincipals,
  seedScopes,
  sessionOf,
} from './principals.ts'

export interface SeedResult {
  principals: readonly SeedPrincipal[]
  scopes: readonly string[]
  /** By token name; shown only now. */
  tokens: Record<string, string>
  counts: { principals: number; scopes: number; units: number; created: number; updated: number; unchanged: number }
}

type SeedDeps = Pick<Bindings, 'catalog' | 'identity' | 'inference' | 'objects' | 'clock' | 'random' | 'log'> & {
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
export async function seed(deps: SeedDeps, caller: Session | null, requestId: string): Promise<SeedResult> {
  // Checked before anything is embedded, and again under the lock.
  requireSeeder(caller, deps.openSeed && !(await deps.catalog.access.hasPrincipals()))
  const content = await readSeedUnits()
  const embedded = await embedSeed(deps, content)
  const done = await deps.catalog.provision((tx) => writeSeed(deps, tx, caller, { content, embedded }, requestId), {
    kept: (all) => ({ ...all, written: { ...all.written, changes: null } }),
  })
  await deps.identity.forget(done.revoked)
  const { namespaceId, written, tokens } = done
  if (written.changes) deps.indexer.offer(namespaceId, written.changes)
  await deps.indexer.waitFor(namespaceId, written.seq, deps.ingestWaitMs)
  const counts = { principals: seedPrincipals.length, scopes: seedScopes.length, units: content.length }
  return {
    principals: seedPrincipals,
    scopes: seedScopes,
    tokens,
    counts: { ...counts, ...countStatuses(written.results) },
  }
}

async function writeSeed(
  deps: SeedDeps,
  tx: Provisioner,
  caller: Session | null,
  { content, embedded }: { content: readonly SeedUnit[]; embedded: readonly EmbeddedUnit[] },
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
  const units = await keepFiles(deps, writer, admin.principalId, content, embedded)
  const written = await writeBatch(deps, admin, writer, units)
  const actor = { principalId: caller?.principalId ?? 'anonymous', requestId }
  const detail = { principals: seedPrincipals.length, units: content.length }
  await writer.audit(auditEntry(actor, deps.clock.now(), 'seed.run', null, detail))
  return { ...provisioned, namespaceId, written }
}

/** The seeded Units with their vectors, for any namespace. */
function embedSeed(deps: SeedDeps, content: readonly SeedUnit[]): Promise<EmbeddedUnit[]> {
  const units = content.map(({ file: _, ...unit }) => ({ ...unit, plane: unit.plane ?? defaultPlane(unit.modality) }))
  return embedUnits(deps, demoAdmin.namespace, units)
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

const seeded: readonly string[] = seedScopes

/** Enables all planes of the seeded scopes again: a closed plane would refuse its seeded Units. */
async function reopenScopes(tx: NamespaceWriter, session: Session, now: number): Promise<void> {
  for (const scope of await tx.scopes.list()) {
    if (!seeded.includes(scope.scope) || scope.planes.length === planes.length) continue
    await tx.scopes.update({ ...scope, planes })
    await tx.audit(auditEntry(session, now, 'scope.update', scope.scope, { planes: planes.join(',') }))
  }
}

/**
 * Stores the files behind the Units, and names them there. A Unit of an earlier seed keeps its file. If the object
 * store fails, the Units have only their pointers.
 */
async function keepFiles(
  deps: SeedDeps,
  tx: NamespaceWriter,
  principalId: string,
  content: readonly SeedUnit[],
  units: readonly EmbeddedUnit[],
): Promise<EmbeddedUnit[]> {
  const filesOfUnits = new Map(content.flatMap(({ externalId, file }) => (file ? [[externalId, file] as const] : [])))
  const known = await tx.units.findExternal(principalId, [...filesOfUnits.keys()])
  const named = new Map(known.map(({ externalId, sourceUri }) => [externalId ?? '', sourceUri]))
  const uris = new Map<SeedFile, string>()
  try {
    for (const [externalId, file] of filesOfUnits) {
      if (!uris.has(file)) uris.set(file, await keep(deps, tx, principalId, file, named.get(externalId) ?? null))
    }
  } catch (error) {
    deps.log.warn({ err: error }, 'the files of the demo data could not be stored; seed again')
  }
  return units.map((unit) => {
    const file = filesOfUnits.get(unit.externalId ?? '')
    const sourceUri = file && uris.get(file)
    return sourceUri === undefined ? unit : { ...unit, sourceUri }
  })
}

/** The end of the ids of sources with these bytes: they are found again without reading them. */
const endOf = (sha256: string) => `_${sha256.slice(0, 16)}`

async function keep(
  { objects, clock, random }: SeedDeps,
  tx: NamespaceWriter,
  createdBy: string,
  name: SeedFile,
  known: string | null,
): Promise<string> {
  const data = await readSeedFile(name)
  const sha256 = createHash('sha256').update(data).digest('hex')
  if (known?.startsWith('source://') && known.endsWith(endOf(sha256))) return known
  const id = random.id('source') + endOf(sha256)
  const mime = seedFiles[name]
  const inspection = inspect()
  inspection.take(data)
  const content = await inspection.contentType({ mime, name })
  // Store the bytes first: a record must not exist without them.
  await objects.put(sourceKey(tx.namespace.id, id), data)
  const facts = { id, uri: `source://${id}`, mime, bytes: data.length, sha256, name, content }
  await tx.sources.insert({ ...facts, createdBy, createdAt: clock.now(), uploadedWith: null, byLink: false })
  return facts.uri
}

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
