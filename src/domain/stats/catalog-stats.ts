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
  /** What an operator can do for better results; null if nothing. */
  advice: string | null
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
    advice: adviceFor(deps, planes),
    storage: {
      objectStoreGb: storage.sourceBytes / 1e9,
      catalogRows: storage.rows,
      vectors: planes.reduce((sum, plane) => sum + plane.vectors, 0),
    },
  }
}

/** Fewer Units say nothing about the languages of a namespace. */
const enoughUnits = 20

/** Proposes a model that understands more languages where more than a tenth of the Units got no vector from this one. */
function adviceFor({ inference }: Pick<Deps, 'inference'>, planes: readonly PlaneStats[]): string | null {
  const settled = planes.filter(({ lag, plane }) => lag === 0 && inference.model(plane).cosines?.languages)
  const [units, vectors] = [sum(settled, 'indexed'), sum(settled, 'vectors')]
  const [first] = settled
  if (first && units >= enoughUnits && vectors < 0.9 * units) {
    const { name, cosines } = inference.model(first.plane)
    const languages = new Intl.ListFormat('en').format(
      (cosines?.languages ?? []).map((code) => new Intl.DisplayNames(['en'], { type: 'language' }).of(code) ?? code),
    )
    return `${units - vectors} of ${units} Units have no vector: ${name} understands only ${languages}. A model for 100 languages: npm run -s model -- add multilingual-e5-small, then start with EMBED_MODEL=multilingual-e5-small`
  }
  return planes.some(({ plane }) => inference.model(plane).fallback)
    ? 'Searches find words, not meaning: no embedding model is in use. Start without INFERENCE=builtin, or see the log'
    : null
}

const sum = (planes: readonly PlaneStats[], count: 'indexed' | 'vectors') =>
  planes.reduce((total, plane) => total + plane[count], 0)
