import type { SearchQuery } from '../../model/search.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { candidates } from './candidates.ts'
import { fuse } from './fuse.ts'
import { type Plan, unlimited } from './plan.ts'

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'inference' | 'formerInference' | 'log' | 'telemetry'> &
  Pick<DomainSettings, 'vectorWeights'>

/**
 * How many of the `topK` hits for a caller without ACL limits are hidden from this one. With many Units it is an
 * estimate, from text search and approximate nearest vectors.
 */
export async function countHidden(deps: Deps, plan: Plan): Promise<number> {
  const { legs } = await candidates(deps, unlimited(plan), depthOf(plan.query))
  const { topK, minScore } = plan.query
  const best = fuse(legs, plan.query, deps.vectorWeights).entries.slice(0, topK)
  return deps.catalog.units.countHiddenAmong(
    plan.visibility,
    best.flatMap(({ unitId, score }) => (score >= minScore ? [unitId] : [])),
  )
}

const deep = 200

/**
 * How many candidates of each leg decide which Units are the best. Vectors of one plane alone keep their order, whatever is
 * below them. Other scores are scaled by what is found further down.
 */
function depthOf({ q, vector, topK, minScore }: SearchQuery): number {
  const isOneLeg = q.trim() === '' && Object.keys(vector).length === 1
  return isOneLeg && minScore <= 0 ? Math.min(topK, deep) : deep
}
