import { noSuchUnit } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import type { Unit } from '../../model/unit.ts'
import type { Catalog } from '../../ports/catalog/catalog.ts'
import { type ContextView, describeContext } from '../access/describe-context.ts'
import { findUnit } from '../access/find-unit.ts'
import { admit } from '../access/gate.ts'
import { visibilityOf } from '../access/visibility-of.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import type { PageInput } from '../input/page.ts'

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

/** A page in ingest order; `cursor` is an offset among the visible Units. The audit log records the read. */
export async function listUnits({ catalog, reads }: Deps, session: Session, page: PageInput): Promise<UnitPage> {
  const { limit, cursor } = page
  admit(session, 'units')
  const visibility = visibilityOf(session, 'read')
  const [found, hiddenByAcl] = await Promise.all([
    catalog.units.list(visibility, cursor, limit + 1),
    catalog.units.countHidden(visibility),
  ])
  const units = found.slice(0, limit)
  await reads.listedUnits(session, { units: units.length, limit, cursor })
  return {
    units,
    hiddenByAcl,
    context: describeContext(session),
    nextCursor: found.length > limit ? cursor + limit : null,
  }
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
