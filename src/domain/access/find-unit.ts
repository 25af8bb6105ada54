import type { Session } from '../../model/session.ts'
import type { Unit } from '../../model/unit.ts'
import type { Catalog } from '../../ports/catalog/catalog.ts'
import { visibilityOf } from './visibility-of.ts'

/**
 * The readable Unit with this id, otherwise the oldest one that the caller ingested with it as external id. Null for
 * hidden, deleted, out of scope and unknown Units.
 */
export async function findUnit(
  { units }: Pick<Catalog, 'units'>,
  session: Session,
  unitId: string,
): Promise<Unit | null> {
  const visibility = visibilityOf(session, 'read')
  return (await units.get(visibility, unitId)) ?? (await units.getOwn(visibility, session.principalId, unitId))
}
