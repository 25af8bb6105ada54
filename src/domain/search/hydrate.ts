import type { LegExplanation } from '../../model/search.ts'
import type { Unit } from '../../model/unit.ts'
import type { Fused, Fusion } from './fuse.ts'
import type { Plan } from './plan.ts'
import type { LookUp } from './still-visible.ts'

export type Hydrated = Fused & { explain: LegExplanation[]; unit: Unit }

export interface Hydration {
  hits: Hydrated[]
  /** The catalog rejected some candidates: the index is behind. */
  stale: boolean
}

/** Reads candidates from the catalog, best first, until it has `topK`. */
export async function hydrate(
  lookUp: LookUp,
  { query: { topK, minScore } }: Pick<Plan, 'query'>,
  { entries, explain }: Pick<Fusion, 'entries' | 'explain'>,
): Promise<Hydration> {
  const hits: Hydrated[] = []
  let stale = false
  for (let start = 0; start < entries.length && hits.length < topK; start += topK) {
    const chunk = entries.slice(start, start + topK).filter(({ score }) => score >= minScore)
    const shown = await lookUp(chunk.map(({ unitId }) => unitId))
    for (const { unitId, score } of chunk) {
      const unit = shown.get(unitId)
      if (unit === undefined) stale = true
      else if (hits.length < topK) hits.push({ unitId, score, explain: explain(unitId), unit })
    }
  }
  return { hits, stale }
}
