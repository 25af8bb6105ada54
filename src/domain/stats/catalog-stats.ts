import type { Session } from '../../model/session.ts'
import type { Plane } from '../../model/unit.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { shownModel } from '../bindings/plane-models.ts'
import { freshness, type PlaneFreshness } from '../indexing/freshness.ts'
import type { Indexer } from '../indexing/indexer.ts'
import type { QueryCounter } from './query-counter.ts'

export interface PlaneStats extends PlaneFreshness {
  plane: Plane
  model: string
  dims: number
  metric: 'cosine'
  vectors: number
}

export interface CatalogStats {
  namespace: string
  scope: string
  planes: PlaneStats[]
  queriesPerDay: number
  storage: { objectStoreGb: number; catalogRows: number; vectors: number }
}

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'clock' | 'inference' | 'formerInference'> & {
  indexer: Indexer
  queries: QueryCounter
}

/** Counts of the whole namespace, independent of what the caller may read. */
export async function catalogStats(deps: Deps, session: Session): Promise<CatalogStats> {
  const namespaceId = session.namespace.id
  const { usage } = deps.catalog
  const fresh = await freshness(deps, namespaceId)
  const counts = await usage.planes(namespaceId)
  const models = await usage.models(namespaceId)
  const storage = await usage.storage(namespaceId)
  const planes = fresh.map((entry): PlaneStats => {
    const { model, dims } = shownModel(deps, models, entry.plane)
    return { ...entry, model, dims, metric: 'cosine', vectors: counts.get(entry.plane)?.vectors ?? 0 }
  })
  return {
    namespace: session.namespace.name,
    scope: session.requestedScope,
    planes,
    queriesPerDay: await deps.queries.lastDay(namespaceId),
    storage: {
      objectStoreGb: storage.sourceBytes / 1e9,
      catalogRows: storage.rows,
      vectors: planes.reduce((sum, plane) => sum + plane.vectors, 0),
    },
  }
}
