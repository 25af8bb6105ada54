import { matches } from '../../model/search.ts'
import type { Unit } from '../../model/unit.ts'
import type { UnitReader } from '../../ports/catalog/catalog.ts'
import type { Leg } from './candidates.ts'
import type { Plan } from './plan.ts'

/** Those of the given Units that the catalog shows, and perhaps others that it showed before. */
export type LookUp = (unitIds: readonly string[]) => Promise<ReadonlyMap<string, Unit>>

/**
 * Looks Units up under the same filter as the indexes: the catalog decides. Within one search each is read once, so that it
 * is the same for the count, the scale and the hits.
 */
export function lookUpOnce(units: UnitReader, plan: Plan): LookUp {
  const read = new Set<string>()
  const shown = new Map<string, Unit>()
  return async (unitIds) => {
    const unread = unitIds.filter((unitId) => !read.has(unitId))
    if (unread.length === 0) return shown
    for (const unit of await units.hydrate(plan.visibility, unread)) {
      if (plan.opens(unit) && matches(plan.query.filters, unit)) shown.set(unit.unitId, unit)
    }
    for (const unitId of unread) read.add(unitId)
    return shown
  }
}

/**
 * Leaves out candidates that the catalog does not show. An index that is behind may still have a Unit that was hidden
 * from the caller: neither a count nor the scale of the scores may tell of it.
 */
export async function keepVisible(
  lookUp: LookUp,
  legs: readonly Leg[],
): Promise<{ legs: readonly Leg[]; dropped: boolean }> {
  const found = new Set(legs.flatMap((leg) => leg.candidates.map(({ unitId }) => unitId)))
  const visible = await lookUp([...found])
  let dropped = false
  const kept = legs.map((leg) => {
    const candidates = leg.candidates.filter(({ unitId }) => visible.has(unitId))
    if (candidates.length === leg.candidates.length) return leg
    dropped = true
    return { ...leg, candidates, trace: { ...leg.trace, candidates: candidates.length } }
  })
  return { legs: kept, dropped }
}
