import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { mapInSlices } from '../../async/pieces.ts'
import { InvalidInputError, ServiceError } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { Scope } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import type { Acl, Metadata, Modality, Plane } from '../../model/unit.ts'
import { aclOf } from '../../model/unit.ts'
import type { KnownUnit, NamespaceWriter, UnitRow } from '../../ports/catalog.ts'
import type { IndexChange, IndexedUnit } from '../../ports/indexes/index-filter.ts'
import { requireKept } from '../access/visibility.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { ChangeBatch } from '../indexing/feeder.ts'
import { byPath, ensureScope } from '../scopes/scopes.ts'
import { type IdentifiedUnit, identify, namedByWriter } from './known-units.ts'
import { checkDocuments, requireEnabled, withinCap } from './limits.ts'
import type { EmbeddedUnit } from './place-units.ts'

export type IngestStatus = 'created' | 'updated' | 'unchanged'

export interface IngestedUnit {
  unitId: string
  externalId: string | null
  status: IngestStatus
  scope: string
  modality: Modality
  plane: Plane
}

type Deps = Pick<Bindings, 'clock' | 'inference' | 'random'>

export interface WrittenBatch {
  seq: number
  results: IngestedUnit[]
  /** At least one Unit still waits for its embedding. */
  embedPending: boolean
  /** Changes for the indexes; null if the indexes must read them back. */
  changes: ChangeBatch | null
}

/** The part of an ingest that holds the head row: rows, counters, quota, audit. */
export async function writeBatch(
  deps: Deps,
  session: Session,
  tx: NamespaceWriter,
  units: readonly EmbeddedUnit[],
): Promise<WrittenBatch> {
  const now = deps.clock.now()
  const scopes = await registerScopes(deps, tx, units, now)
  await fixDims(deps, tx, units)
  const placed = units.map((unit) => ({ ...unit, scopeId: scopes.get(unit.scope)?.id ?? '' }))
  const identified = await identify(session, tx, placed)
  const named = await namedByWriter(session, tx, identified)
  const contents = await mapInSlices(identified, (unit, index) => ({
    unit,
    row: { ...toRow(session, unit, index), sourceByWriter: named(unit) },
  }))

  const rows: UnitRow[] = []
  let embedPending = false
  const results = contents.map(({ unit, row }): IngestedUnit => {
    const { known: before } = unit
    const unitId = before?.unitId ?? deps.random.id('unit')
    const status = !before ? 'created' : isSame(before, row) ? 'unchanged' : 'updated'
    if (status !== 'unchanged') rows.push({ ...row, unitId, isNew: !before })
    embedPending ||= status === 'unchanged' ? before?.embedPending === true : row.embedPending
    const { externalId, modality, plane } = row
    return { unitId, externalId, status, scope: unit.scope, modality, plane }
  })
  const seqBefore = tx.seq()
  const writers = new Set(rows.map((row) => row.writer))
  const held = await withinCap(tx, rows.length, () => tx.units.put(rows, now))
  await checkDocuments(tx, held, writers, ['units'])
  const detail = { units: results.length, written: rows.length, seq: tx.seq() }
  await tx.audit(auditEntry(session, now, 'units.ingest', session.requestedScope, detail))
  return { seq: tx.seq(), results, embedPending, changes: changesOf(rows, seqBefore, now) }
}

/**
 * Those Units of a batch that are stored as they are sent, as far as the catalog says before it is written: they need no new
 * vectors. What is wrong with the batch is said when it is written.
 */
export async function unchangedUnits(
  { catalog }: Pick<Bindings, 'catalog'>,
  session: Session,
  units: readonly EmbeddedUnit[],
): Promise<ReadonlySet<EmbeddedUnit>> {
  const named = units.some(
    ({ externalId, unitId, embedPending }) => embedPending && (externalId ?? unitId) !== undefined,
  )
  if (!named) return new Set()
  const scopes = byPath(session.facts.scopes)
  const placed = units.map((unit) => ({ ...unit, scopeId: scopes.get(unit.scope)?.id ?? '' }))
  try {
    const identified = await identify(session, { units: catalog.knownUnits(session.namespace.id) }, placed)
    const isUnchanged = await mapInSlices(
      identified,
      (unit, index) => unit.known?.contentHash === toRow(session, unit, index).contentHash,
    )
    return new Set(units.filter((_, i) => isUnchanged[i]))
  } catch (error) {
    if (error instanceof ServiceError) return new Set()
    throw error
  }
}

const isSame = (before: KnownUnit, row: Pick<UnitRow, 'contentHash' | 'sourceByWriter'>) =>
  before.contentHash === row.contentHash && before.sourceByWriter === row.sourceByWriter

/** Changes with the values that `put` sets. Only the catalog knows when updated rows were created. */
function changesOf(rows: readonly UnitRow[], after: number, now: number): ChangeBatch | null {
  if (rows.length === 0 || rows.some((row) => !row.isNew)) return null
  const changes = rows.map((row, i): IndexChange => ({ kind: 'put', unit: indexed(row, after + 1 + i, now) }))
  return { after, upTo: after + rows.length, changes }
}

function indexed(row: UnitRow, seq: number, now: number): IndexedUnit {
  const { isNew, writer, sourceByWriter, contentHash, embedPending, ...unit } = row
  return { ...unit, seq, createdAt: now, updatedAt: now }
}

export async function registerScopes(
  { random }: Deps,
  tx: NamespaceWriter,
  units: readonly EmbeddedUnit[],
  now: number,
): Promise<ReadonlyMap<string, Scope>> {
  const scopes = byPath(await tx.scopes.list())
  for (const path of new Set(units.map(({ scope }) => scope))) await ensureScope(tx, scopes, path, random, now)
  for (const [index, { scope: path, plane }] of units.entries()) {
    requireEnabled(scopes.get(path), plane, ['units', index, 'plane'])
  }
  return scopes
}

/** A model is recorded for texts that it does not understand, too, so that another one can embed them after it. */
export async function fixDims(
  { inference }: Pick<Bindings, 'inference'>,
  tx: NamespaceWriter,
  units: readonly EmbeddedUnit[],
): Promise<void> {
  const checked = new Map<string, number>()
  for (const [index, { plane, embedding, embeddedBy, embedPending }] of units.entries()) {
    const model = embedding?.model ?? (embedPending ? null : embeddedBy)
    if (model === null) continue
    const { values, count = 1 } = embedding ?? {}
    const key = `${plane} ${model}`
    const size = values ? values.length / count : inference.model(plane).dims
    const dims = checked.get(key) ?? (await tx.fixDims(plane, model, size))
    checked.set(key, dims)
    if (values && values.length !== dims * count) {
      throw new InvalidInputError(['units', index, 'vector'], `must have ${dims} dimensions, as the plane ${plane} has`)
    }
  }
}

/** Throws 403 for a Unit that would be outside of the planes and groups of the caller's key. */
export function toRow(
  session: Session,
  unit: IdentifiedUnit,
  index: number,
): Omit<UnitRow, 'unitId' | 'isNew' | 'sourceByWriter'> {
  const content = {
    scopeId: unit.scopeId,
    plane: unit.plane,
    modality: unit.modality,
    text: unit.text ?? null,
    title: unit.title || null,
    sourceUri: unit.sourceUri ?? null,
    mime: unit.mime ?? null,
    locator: unit.locator ?? null,
    docId: unit.docId ?? null,
    externalId: unit.externalId,
    writer: unit.writer,
    acl: aclOf(unit.aclOwner, unit.aclGroups ?? []),
    metadata: unit.metadata ?? {},
  }
  requireKept(session, unit.scope, content, `units[${index}].`)
  const hashed = {
    ...content,
    // Units without it keep the hash of before languages.
    ...(unit.language !== undefined && { language: unit.language }),
    // If a Unit is sent again, it gets the vector of a model that was configured since.
    ...(unit.embeddedBy !== null && { embeddedBy: unit.embeddedBy }),
  }
  return {
    ...content,
    language: unit.language ?? null,
    contentHash: contentHash(hashed, unit.vector),
    vector: unit.embedding,
    embedPending: unit.embedPending,
  }
}

/** The fields that may change without a new embedding. */
interface Changeable {
  acl: Acl
  metadata: Metadata
  title: string | null
}

const digestOf = (value: object) => hash('sha256', `${canonicalize(value)}`)

/**
 * SHA-256 over everything that the caller sent for a Unit: equal hashes mean that sending it again changes nothing.
 * Fields that may change in place have their own digest, after a dot, so that a change does not need the rest.
 */
function contentHash({ acl, metadata, title, ...rest }: Changeable & object, vector: Float32Array | undefined): string {
  const fixed = vector
    ? hash('sha256', Buffer.concat([Buffer.from(`${canonicalize(rest)}`), bytesOf(vector)]))
    : digestOf(rest)
  return rehash(fixed, { acl, metadata, title })
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) => new Uint8Array(buffer, byteOffset, byteLength)

/** The hash of the same content with other changeable fields. A Unit without a title has the hash of before titles. */
export function rehash(known: string, { title, ...fields }: Changeable): string {
  const [fixed] = known.split('.')
  return `${fixed}.${digestOf(title === null ? fields : { ...fields, title })}`
}
