import { type Plane, planes } from '../../model/unit.ts'
import type { Bindings } from '../deps.ts'
import type { Indexer } from '../indexing/indexer.ts'

export type PlaneHealth = 'green' | 'yellow' | 'red'

/** How far a plane's indexes are: counts of Units; `lag` is the age in ms of the oldest pending change. */
export interface PlaneFreshness {
  plane: Plane
  indexed: number
  pending: number
  lag: number
  health: PlaneHealth
}

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'clock'> & { indexer: Indexer }

/** Pending longer than this is no longer healthy. */
const patienceMs = 5000

export async function freshness(deps: Deps, namespaceId: string): Promise<PlaneFreshness[]> {
  await deps.indexer.ready(namespaceId)
  const reachable = await Promise.all([deps.vectors.ping(), deps.texts.ping()]).then(
    () => true,
    () => false,
  )
  const cursor = reachable ? await deps.indexer.cursor(namespaceId) : 0
  const [usage, pending] = await Promise.all([
    deps.catalog.usage.planes(namespaceId),
    deps.catalog.changes.pending(namespaceId, cursor),
  ])
  return planes.map((plane) => {
    const units = usage.get(plane)?.units ?? 0
    const waiting = pending.get(plane) ?? { units: 0, oldest: null }
    const lag = waiting.oldest === null ? 0 : Math.max(0, deps.clock.now() - waiting.oldest)
    const health = !reachable ? 'red' : lag > patienceMs ? 'yellow' : 'green'
    return { plane, indexed: Math.max(0, units - waiting.units), pending: waiting.units, lag, health }
  })
}
