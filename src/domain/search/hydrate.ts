import type { Unit } from '../../model/unit.ts'
import type { UnitReader } from '../../ports/catalog/catalog.ts'
import type { Fused } from './fuse.ts'
import type { Plan } from './plan.ts'
import { visibleUnits } from './still-visible.ts'

export type Hydrated = Fused & { unit: Unit }

export interface Hydration {
  hits: Hydrated[]
  /** The catalog rejected some candidates: the index is behind. */
  stale: boolean
}

/** Reads candidates from the catalog, best first, until it has `topK`. */
export async function hydrate(units: UnitReader, plan: Plan, fused: readonly Fused[]): Promise<Hydration> {
  const { topK, minScore } = plan.query
  const eligible = fused.filter((entry) => entry.score >= minScore)
  const found: Hydrated[] = []
  let read = 0
  for (let start = 0; start < eligible.length && found.length < topK; start += topK) {
    const chunk = eligible.slice(start, start + topK)
    read += chunk.length
    const byId = await visibleUnits(
      units,
      plan,
      chunk.map((entry) => entry.unitId),
    )
    for (const entry of chunk) {
      const unit = byId.get(entry.unitId)
      if (unit) found.push({ ...entry, unit })
    }
  }
  return { hits: found.slice(0, topK), stale: found.length < read }
}
