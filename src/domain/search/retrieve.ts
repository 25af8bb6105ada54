import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { type Candidates, candidates } from './candidates.ts'
import { fuse } from './fuse.ts'
import { type Hydrated, hydrate } from './hydrate.ts'
import type { Plan } from './plan.ts'

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'inference' | 'formerInference' | 'log' | 'telemetry'> &
  Pick<DomainSettings, 'vectorWeights'>

/** Initial depth of each leg; doubled while stale candidates make the result too short. */
const firstDepth = 200

/** candidates -> fuse -> hydrate; deeper while the catalog rejects candidates and the result is too short. */
export async function retrieve(
  deps: Deps,
  made: Plan,
): Promise<{ hits: Hydrated[]; found: Candidates; weights: Record<string, number> }> {
  const { telemetry } = deps
  for (let depth = firstDepth; ; depth *= 2) {
    const found = await telemetry.stage('candidates', () => candidates(deps, made, depth))
    const { entries, weights } = await telemetry.stage('fuse', async () =>
      fuse(found.legs, made.query, deps.vectorWeights),
    )
    const { hits, stale } = await telemetry.stage('hydrate', () => hydrate(deps.catalog.units, made, entries))
    const more = stale && found.legs.some((leg) => leg.full)
    if (hits.length >= made.query.topK || !more) return { hits, found, weights }
  }
}
