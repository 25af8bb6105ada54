import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { candidates } from './candidates.ts'
import { fuse } from './fuse.ts'
import { type Plan, unlimited } from './plan.ts'

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'inference' | 'formerInference' | 'log' | 'telemetry'> &
  Pick<DomainSettings, 'vectorWeights'>

const depth = 200

/**
 * How many of the `topK` hits for a caller without ACL limits are hidden from this one. With many Units it is an
 * estimate, from text search and approximate nearest vectors.
 */
export async function countHidden(deps: Deps, plan: Plan): Promise<number> {
  const { legs } = await candidates(deps, unlimited(plan), depth)
  const { topK, minScore } = plan.query
  const best = fuse(legs, plan.query, deps.vectorWeights).entries.filter(({ score }) => score >= minScore)
  return deps.catalog.units.countHiddenAmong(
    plan.visibility,
    best.slice(0, topK).map(({ unitId }) => unitId),
  )
}
