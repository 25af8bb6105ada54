import type { Bindings } from '../deps.ts'
import { candidates } from './candidates.ts'
import { fuse } from './fuse.ts'
import { type Plan, unlimited } from './plan.ts'

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'inference' | 'log'>

const depth = 200

/**
 * How many of the `topK` that a caller without ACL limits would get are closed to this one. Over many Units it is an
 * estimate, from the words and roughly the nearest vectors.
 */
export async function countHidden(deps: Deps, plan: Plan): Promise<number> {
  const { namespaceId, reader } = plan.filter
  if (reader === 'unlimited') return 0
  const visibility = { namespaceId, scopeIds: plan.scopeIds, reader }
  if ((await deps.catalog.units.countHidden(visibility, plan.planes)) === 0) return 0
  const { legs } = await candidates(deps, unlimited(plan), depth)
  const { topK, minScore } = plan.query
  const best = fuse(legs).filter(({ score }) => score >= minScore)
  return deps.catalog.units.countHiddenAmong(
    visibility,
    best.slice(0, topK).map(({ unitId }) => unitId),
  )
}
