import { type Plane, planes } from '../../model/unit.ts'
import type { ChangeProgress } from '../../ports/catalog.ts'
import { type Bindings, isChanging, modelsToAsk } from '../bindings/bindings.ts'
import { feedsOf, type Indexer } from './indexer.ts'

export type PlaneHealth = 'green' | 'yellow' | 'red'

/** The index state of a plane. `lag` is the age in ms of the oldest pending change, including deletions. */
export interface PlaneFreshness {
  plane: Plane
  /** Searchable Units whose current version is in all indexes. */
  indexed: number
  /** Units whose latest change, including a deletion, is missing in some index. */
  pending: number
  lag: number
  health: PlaneHealth
  /** The current change of models; null for none. */
  modelChange: ModelProgress | null
}

/** A change of a plane's embedding model; counts are of Units. */
export interface ModelProgress {
  /** The model that searches use until the change is done. */
  model: string
  target: string
  done: number
  left: number
}

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'clock' | 'inference'> & { indexer: Indexer }

/** A lag above this is not healthy. */
const thresholdMs = 5000

export async function freshness(deps: Deps, namespaceId: string): Promise<PlaneFreshness[]> {
  await deps.indexer.ready(namespaceId)
  const reachable = await Promise.all([deps.vectors.ping(), deps.texts.ping()]).then(
    () => true,
    () => false,
  )
  const isFailing = feedsOf(deps).some((feed) => deps.indexer.isFailing(feed, namespaceId))
  const cursor = await deps.indexer.cursor(namespaceId).catch(() => 0)
  const [usage, pending] = await Promise.all([
    deps.catalog.usage.planes(namespaceId),
    deps.catalog.changes.pending(namespaceId, cursor),
  ])
  const changes = await modelChanges(deps, namespaceId, cursor)
  return planes.map((plane) => {
    const units = usage.get(plane)?.units ?? 0
    const waiting = pending.get(plane)
    const change = changes.get(plane)
    const left = change?.left ?? 0
    const oldest = Math.min(waiting?.oldest ?? Infinity, left > 0 ? (change?.since ?? Infinity) : Infinity)
    const lag = Math.max(0, deps.clock.now() - oldest)
    const health = !reachable || (isFailing && waiting) ? 'red' : lag > thresholdMs ? 'yellow' : 'green'
    const modelChange = change
      ? { model: change.model, target: change.target, done: change.done, left: change.left }
      : null
    const indexed = Math.max(0, units - (waiting?.live ?? 0) - left)
    return { plane, indexed, pending: (waiting?.changes ?? 0) + left, lag, health, modelChange }
  })
}

/** The planes whose model is changing, up to a seq: changes above it are pending anyway. */
async function modelChanges({ catalog, inference }: Deps, namespaceId: string, seq: number) {
  const changes = new Map<Plane, ModelProgress & ChangeProgress>()
  const stored = await catalog.usage.models(namespaceId)
  for (const plane of planes) {
    const target = inference.model(plane).name
    if (!isChanging(stored, plane, target)) continue
    const [model = target] = modelsToAsk(stored, plane, target)
    const progress = await catalog.modelChanges.progress(namespaceId, plane, target, seq)
    if (progress.left > 0 || model !== target) changes.set(plane, { model, target, ...progress })
  }
  return changes
}
