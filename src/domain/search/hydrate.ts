import { matches } from '../../model/search.ts'
import type { Unit } from '../../model/unit.ts'
import type { UnitReader } from '../../ports/catalog/catalog.ts'
import type { Fused } from './fuse.ts'
import type { Plan } from './plan.ts'

export type Hydrated = Fused & { unit: Unit }

export interface Hydration {
  hits: Hydrated[]
  /** The catalog rejected some candidates: the index is behind. */
  stale: boolean
}

/** Reads candidates from the catalog under the same filter, best first, until it has `topK`: the catalog decides. */
export async function hydrate(units: UnitReader, plan: Plan, fused: readonly Fused[]): Promise<Hydration> {
  const { topK, minScore } = plan.query
  const eligible = fused.filter((entry) => entry.score >= minScore)
  const found: Hydrated[] = []
  let read = 0
  for (let start = 0; start < eligible.length && found.length < topK; start += topK) {
    const chunk = eligible.slice(start, start + topK)
    read += chunk.length
    const visible = await units.hydrate(
      plan.visibility,
      chunk.map((entry) => entry.unitId),
    )
    const byId = new Map(visible.map((unit) => [unit.unitId, unit]))
    for (const entry of chunk) {
      const unit = byId.get(entry.unitId)
      if (unit && plan.opens(unit) && matches(plan.query.filters, unit)) found.push({ ...entry, unit })
    }
  }
  return { hits: found.slice(0, topK), stale: found.length < read }
}
