import { noSuchUnit } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import type { Unit } from '../../model/unit.ts'
import type { Catalog } from '../../ports/catalog.ts'
import { admit } from '../access/gate.ts'
import { type ContextView, describeContext, findUnit, hiddenCount, visibilityOf } from '../access/visibility.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import type { UnitsInput } from './unit-input.ts'

export interface UnitPage {
  units: Unit[]
  hiddenByAcl: number
  context: ContextView
  nextCursor: number | null
}

interface Deps {
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
export async function listUnits({ catalog, reads }: Deps, session: Session, page: UnitsInput): Promise<UnitPage> {
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
export async function readUnit({ catalog, reads }: Deps, session: Session, unitId: string): Promise<Unit> {
  const unit = await getUnit(catalog, session, unitId)
  await reads.gotUnit(session, unit.unitId)
  return unit
}
