import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { type Candidates, candidates, type Leg } from './candidates.ts'
import { fuse } from './fuse.ts'
import { type Hydrated, hydrate } from './hydrate.ts'
import type { Plan } from './plan.ts'
import { keepVisible, lookUpOnce } from './still-visible.ts'

type Deps = Pick<
  Bindings,
  'catalog' | 'vectors' | 'texts' | 'inference' | 'formerInference' | 'analysis' | 'log' | 'telemetry'
> &
  Pick<DomainSettings, 'vectorWeights'>

/** Initial depth of each leg; doubled while stale candidates make the result too short. */
const firstDepth = 200

/**
 * candidates -> fuse -> hydrate; deeper while the catalog rejects candidates and the result is too short. Where an index
 * may be wrong, or was, all candidates are looked up before they are counted and scaled.
 */
export async function retrieve(
  deps: Deps,
  made: Plan,
): Promise<{ hits: Hydrated[]; found: Candidates; weights: Record<string, number> }> {
  const { telemetry } = deps
  const lookUp = lookUpOnce(deps.catalog.units, made)
  let doubtful = made.mayBeOutdated
  for (let depth = firstDepth; ; ) {
    let dropped = false
    const check = async (legs: readonly Leg[]) => {
      if (!doubtful) return legs
      const kept = await keepVisible(lookUp, legs)
      dropped ||= kept.dropped
      return kept.legs
    }
    const found = await telemetry.stage('candidates', () => candidates(deps, made, depth, check))
    const { weights, ...fusion } = await telemetry.stage('fuse', async () =>
      fuse(found.legs, made.query, deps.vectorWeights),
    )
    const { hits, stale } = await telemetry.stage('hydrate', () => hydrate(deps, lookUp, made, found.legs, fusion))
    if (stale && !doubtful) {
      doubtful = true
      continue
    }
    const more = (dropped || stale) && found.legs.some((leg) => leg.full)
    if (hits.length >= made.query.topK || !more) return { hits, found, weights }
    depth *= 2
  }
}
