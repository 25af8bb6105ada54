import { noSuchUnit } from '../../errors.ts'
import { scopeHeader } from '../../model/request.ts'
import type { Session } from '../../model/session.ts'
import type { Unit } from '../../model/unit.ts'
import type { Catalog } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import { type ContextView, describeContext, findUnit, hiddenCount, visibilityOf } from '../access/visibility.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import type { BackgroundTask } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { parseItems } from '../input/parse.ts'
import { begun, heavy, type Turns, weightOfBatch } from '../turns/turns.ts'
import type { DeleteInput } from './delete-input.ts'
import { deleteUnits } from './delete-units.ts'
import { type EmbeddedUnit, embedUnits, placeUnits } from './place-units.ts'
import {
  type IngestInput,
  type NeighboursInput,
  type ReadersInput,
  type UnitChanges,
  type UnitsInput,
  unitInput,
} from './unit-input.ts'
import { updateReaders } from './update-readers.ts'
import { restoreUnits, updateUnit } from './update-units.ts'
import { type IngestedUnit, type IngestStatus, unchangedUnits, writeBatch } from './write-batch.ts'

export interface IngestResult {
  units: IngestedUnit[]
  counts: Record<IngestStatus, number>
  seq: number
  /** False when indexing did not catch up within the configured wait; the write is durable anyway. */
  indexed: boolean
}

type IngestDeps = Pick<Bindings, 'catalog' | 'inference' | 'clock' | 'random' | 'log' | 'telemetry'> & {
  brand: string
  indexer: Indexer
  turns: Turns
  ingestWaitMs: number
  inferenceTimeoutMs: number
  /** What has no vector yet gets it in the background. */
  embedSoon(): void
}

/**
 * Writes a batch, all or nothing, durable before it returns. A principal's next batch is written while the indexes take this
 * one, but not the one after that: it would only wait in memory. Errors: 400 with the Unit and field, 403 for a scope without
 * `write`, 402 above the limits of the tier.
 */
async function ingest(deps: IngestDeps, session: Session, input: IngestInput): Promise<IngestResult> {
  const { writing, indexing } = deps.turns
  const weight = weightOfBatch(input)
  const indexed = await writing(session, weight, async () => {
    const written = await write(deps, session, input)
    return begun(indexing, session, weight, () => whenIndexed(deps, session, written))
  })
  return indexed.result
}

type Written = Pick<IngestResult, 'units' | 'seq'> & { embedPending: boolean }

async function write(deps: IngestDeps, session: Session, input: IngestInput): Promise<Written> {
  const units = await parseItems(unitInput, input.units, ['units'])
  const placed = placeUnits(session, units, scopeHeader(deps.brand))
  const unneeded = (sent: readonly EmbeddedUnit[]) => unchangedUnits(deps, session, sent)
  const embedded = await embedUnits(deps, session.namespace.id, placed, { unneeded })
  const { seq, results, embedPending, changes } = await deps.catalog.transact(
    session.namespace.id,
    (tx) => writeBatch(deps, session, tx, embedded),
    // The index reads the changes back.
    { kept: (written) => ({ ...written, changes: null }) },
  )
  for (const { plane, status } of results) {
    // The catalog reports what it has written.
    if (status === 'unchanged') deps.telemetry.unitsWritten(plane, status, 1)
  }
  if (changes) deps.indexer.offer(session.namespace.id, changes)
  return { units: results, seq, embedPending }
}

async function whenIndexed(
  deps: IngestDeps,
  session: Session,
  { units, seq, embedPending }: Written,
): Promise<IngestResult> {
  if (embedPending) deps.embedSoon()
  const applied = await deps.indexer.waitFor(session.namespace.id, seq, deps.ingestWaitMs)
  return { units, counts: countStatuses(units), seq, indexed: applied && !embedPending }
}

export function countStatuses(results: readonly IngestedUnit[]): IngestResult['counts'] {
  const count = (status: IngestStatus) => results.filter((r) => r.status === status).length
  return { created: count('created'), updated: count('updated'), unchanged: count('unchanged') }
}

export interface UnitPage {
  units: Unit[]
  hiddenByAcl: number
  context: ContextView
  nextCursor: number | null
}

interface ReadUnitsDeps {
  catalog: Catalog
  reads: ReadRecorder
}

/** A page in ingest order; `cursor` is an offset among the visible Units that meet the filters. */
export async function pageOfUnits(
  { units }: Pick<Catalog, 'units'>,
  session: Session,
  { limit, cursor, filters }: UnitsInput,
): Promise<Omit<UnitPage, 'context'>> {
  const visibility = visibilityOf(session, 'read')
  const [found, hiddenByAcl] = await Promise.all([
    units.list(visibility, filters, cursor, limit + 1),
    hiddenCount(session, () => units.countHidden(visibility)),
  ])
  return { units: found.slice(0, limit), hiddenByAcl, nextCursor: found.length > limit ? cursor + limit : null }
}

/** The page of a caller. The audit log records the read. */
async function listUnits({ catalog, reads }: ReadUnitsDeps, session: Session, page: UnitsInput): Promise<UnitPage> {
  admit(session, 'units')
  const listed = await pageOfUnits(catalog, session, page)
  const { limit, cursor } = page
  await reads.listedUnits(session, { units: listed.units.length, limit, cursor })
  return { ...listed, context: describeContext(session) }
}

/**
 * The Unit with this id, otherwise the oldest one that the caller ingested with it as external id. Hidden, deleted, out
 * of scope and unknown Units give the same 404.
 */
export async function getUnit(catalog: Catalog, session: Session, unitId: string): Promise<Unit> {
  admit(session, 'unit')
  const unit = await findUnit(catalog, session, unitId)
  if (!unit) throw noSuchUnit()
  return unit
}

/** The same for a read by a caller, which the audit log records. */
async function readUnit({ catalog, reads }: ReadUnitsDeps, session: Session, unitId: string): Promise<Unit> {
  const unit = await getUnit(catalog, session, unitId)
  await reads.gotUnit(session, unit.unitId)
  return unit
}

/**
 * The readable Units of the same document and plane around a Unit, in the order of the text: an unreadable one between two
 * does not show. None of a Unit without a document; 404 as for `unit`. The audit log records the read.
 */
async function readNeighbours(
  { catalog, reads }: ReadUnitsDeps,
  session: Session,
  { unitId: asked, ...counts }: NeighboursInput,
) {
  admit(session, 'neighbours')
  const visibility = visibilityOf(session, 'read')
  const unit = await findUnit(catalog, session, asked)
  if (!unit) throw noSuchUnit()
  const { unitId, docId, plane } = unit
  const near = docId === null ? [] : await catalog.docs.near(visibility, { unitId, docId, plane }, counts)
  const units = await catalog.units.hydrate(
    visibility,
    near.map((one) => one.unitId),
  )
  const byId = new Map(units.map((one) => [one.unitId, one]))
  const side = (isOnIt: (distance: number) => boolean) =>
    near.flatMap((one) => (isOnIt(one.distance) ? (byId.get(one.unitId) ?? []) : []))
  await reads.listedNear(session, unitId, units.length)
  return { before: side((distance) => distance < 0), after: side((distance) => distance > 0) }
}

type Deps = Parameters<typeof ingest>[0] & Parameters<typeof deleteUnits>[0] & Parameters<typeof readUnit>[0]

export function createUnits(deps: Deps) {
  const { catalog, turns } = deps
  const eraseDeleted: BackgroundTask = {
    name: 'erase what was hard-deleted',
    run: async () => {
      await catalog.eraseDeleted?.()
      return 0
    },
  }
  return {
    tasks: [eraseDeleted],
    servicesFor: (session: Session) => ({
      list: (page: UnitsInput) => turns.answering(session, heavy, () => listUnits(deps, session, page)),
      get: (unitId: string) => turns.answering(session, 1, () => readUnit(deps, session, unitId)),
      neighbours: (input: NeighboursInput) =>
        turns.answering(session, heavy, () => readNeighbours(deps, session, input)),
      ingest: (input: IngestInput) => ingest(deps, session, input),
      update: (unitId: string, changes: UnitChanges) => updateUnit(deps, session, unitId, changes),
      updateReaders: (input: ReadersInput) => turns.writing(session, heavy, () => updateReaders(deps, session, input)),
      delete: (input: DeleteInput) => turns.writing(session, heavy, () => deleteUnits(deps, session, input)),
      restore: (ids: readonly string[]) => turns.writing(session, heavy, () => restoreUnits(deps, session, ids)),
    }),
  }
}
