import { z } from 'zod'
import { notFound } from '../../errors.ts'
import type { Session } from '../../model/session.ts'
import type { Unit } from '../../model/unit.ts'
import type { Catalog } from '../../ports/catalog.ts'
import { type ContextView, describeContext } from '../access/describe-context.ts'
import { require } from '../access/require.ts'
import { visibilityOf } from '../access/visibility-of.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import { pageInput } from '../input/page.ts'
import { label, parse } from '../input/parse.ts'

export interface UnitPage {
  units: Unit[]
  hiddenByAcl: number
  context: ContextView
  nextCursor: number | null
}

/** A page in ingest order; `cursor` is an offset among the visible Units. */
export async function listUnits(catalog: Catalog, session: Session, input: unknown): Promise<UnitPage> {
  const { limit, cursor } = parse(pageInput, input)
  require(session, 'read')
  const visibility = visibilityOf(session, 'read')
  const [found, hiddenByAcl] = await Promise.all([
    catalog.units.list(visibility, cursor, limit + 1),
    catalog.units.countHidden(visibility),
  ])
  return {
    units: found.slice(0, limit),
    hiddenByAcl,
    context: describeContext(session),
    nextCursor: found.length > limit ? cursor + limit : null,
  }
}

/** Hidden, deleted, out of scope and unknown are all the same 404. */
export async function getUnit(catalog: Catalog, session: Session, input: string): Promise<Unit> {
  const { unitId } = parse(z.strictObject({ unitId: label() }), { unitId: input })
  require(session, 'read')
  const unit = await catalog.units.get(visibilityOf(session, 'read'), unitId)
  if (!unit) throw notFound('no such Unit')
  return unit
}

/** The same for a caller who reads it, which the audit log records. */
export async function readUnit(
  { catalog, reads }: { catalog: Catalog; reads: ReadRecorder },
  session: Session,
  unitId: string,
): Promise<Unit> {
  const unit = await getUnit(catalog, session, unitId)
  await reads.gotUnit(session, unit.unitId)
  return unit
}
