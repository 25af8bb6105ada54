import { matches } from '../../model/search.ts'
import type { Unit } from '../../model/unit.ts'
import type { UnitReader } from '../../ports/catalog/catalog.ts'
import type { Leg } from './candidates.ts'
import type { Plan } from './plan.ts'

/** Those of the given Units that the catalog shows under the same filter as the indexes: the catalog decides. */
export async function visibleUnits(
  units: UnitReader,
  plan: Plan,
  unitIds: readonly string[],
): Promise<Map<string, Unit>> {
  const visible = await units.hydrate(plan.visibility, unitIds)
  const shown = visible.filter((unit) => plan.opens(unit) && matches(plan.query.filters, unit))
  return new Map(shown.map((unit) => [unit.unitId, unit]))
}

/**
 * Leaves out candidates that the catalog does not show. An index that is behind may still have a Unit that was hidden
 * from the caller: neither a count nor the scale of the scores may tell of it.
 */
export async function keepVisible(
  units: UnitReader,
  plan: Plan,
  legs: readonly Leg[],
): Promise<{ legs: readonly Leg[]; dropped: boolean }> {
  const found = new Set(legs.flatMap((leg) => leg.candidates.map(({ unitId }) => unitId)))
  const visible = await visibleUnits(units, plan, [...found])
  if (visible.size === found.size) return { legs, dropped: false }
  const kept = legs.map((leg) => {
    const candidates = leg.candidates.filter(({ unitId }) => visible.has(unitId))
    return { ...leg, candidates, trace: { ...leg.trace, candidates: candidates.length } }
  })
  return { legs: kept, dropped: true }
}
