import type { SearchQuery } from '../../model/search.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { candidates } from './candidates.ts'
import { fuse } from './fuse.ts'
import { type Plan, unlimited } from './plan.ts'

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'inference' | 'formerInference' | 'log' | 'telemetry'> &
  Pick<DomainSettings, 'vectorWeights'>

/** How many candidates of each leg decide which Units are the best: scores are scaled by what is found further down. */
const depth = 200

/**
 * How many of the `topK` hits for a caller without ACL limits are hidden from this one. With many Units it is an
 * estimate, from text search and approximate nearest vectors.
 *
 * Whatever else the query has is ignored: with a filter, a threshold or a vector, the count would tell what the hidden
 * Units hold.
 */
export async function countHidden(
  deps: Deps,
  plan: Plan,
  { q, topK }: Pick<SearchQuery, 'q' | 'topK'>,
): Promise<number> {
  const query = plainQuery(q, topK)
  const { legs } = await candidates(deps, unlimited(plan, query), depth)
  const best = fuse(legs, query, deps.vectorWeights).entries.slice(0, topK)
  return deps.catalog.units.countHiddenAmong(
    plan.visibility,
    best.map(({ unitId }) => unitId),
  )
}

/** Every field is named, so that a new one of the caller's does not come in by itself. */
const plainQuery = (q: string, topK: number): SearchQuery => ({
  q,
  topK,
  filters: {},
  vector: {},
  minScore: 0,
  rerank: false,
  diversity: 0,
  answer: false,
  agentic: false,
  maxSteps: 1,
})
