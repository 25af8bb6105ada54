import { type Plane, planes } from '../../model/unit.ts'
import type { ChangeProgress } from '../../ports/model-changes.ts'
import type { Bindings } from '../deps.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { isChanging, modelsToAsk } from '../models.ts'

export type PlaneHealth = 'green' | 'yellow' | 'red'

/** How far a plane's indexes are: counts of Units; `lag` is the age in ms of the oldest pending change. */
export interface PlaneFreshness {
  plane: Plane
  indexed: number
  pending: number
  lag: number
  health: PlaneHealth
  /** The change of models that is under way; null for none. */
  modelChange: ModelProgress | null
}

/** A change of a plane's embedding model; counts are of Units. */
export interface ModelProgress {
  /** The one that searches use until it is done. */
  model: string
  target: string
  done: number
  left: number
}

type Deps = Pick<Bindings, 'catalog' | 'vectors' | 'texts' | 'clock' | 'inference'> & { indexer: Indexer }

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
  const changes = await modelChanges(deps, namespaceId, cursor)
  return planes.map((plane) => {
    const units = usage.get(plane)?.units ?? 0
    const change = changes.get(plane)
    const waiting = [pending.get(plane), change && { units: change.left, oldest: change.since }].filter((w) => !!w)
    const behind = waiting.reduce((sum, w) => sum + w.units, 0)
    const oldest = Math.min(...waiting.flatMap((w) => (w.units > 0 ? (w.oldest ?? []) : [])))
    const lag = Math.max(0, deps.clock.now() - oldest)
    const health = !reachable ? 'red' : lag > patienceMs ? 'yellow' : 'green'
    const modelChange = change
      ? { model: change.model, target: change.target, done: change.done, left: change.left }
      : null
    return { plane, indexed: Math.max(0, units - behind), pending: behind, lag, health, modelChange }
  })
}

/** The planes whose model is being changed, up to a seq: what changed above it is pending anyway. */
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
