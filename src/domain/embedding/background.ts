import { createBackoff } from '../../async/backoff.ts'
import { auditEntry } from '../../model/audit.ts'
import { type Plane, planes } from '../../model/unit.ts'
import {
  type BackgroundTask,
  type BackgroundWork,
  createBackgroundWork,
  withClusterLock,
} from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { changeModels } from './change-models.ts'
import { embedPassages, type PassageDeps } from './embed-passages.ts'

export const createEmbedding = (deps: Deps & Parameters<typeof changeModels>[0]) => ({
  tasks: [withClusterLock(deps.catalog, embedPending(deps))],
  /** Separate, so that the hours of work of one plane do not block anything else. */
  modelChanges: planes.map(
    (plane): BackgroundWork =>
      createBackgroundWork([withClusterLock(deps.catalog, changeModels(deps, plane))], deps.log),
  ),
})

type Deps = PassageDeps & Pick<Bindings, 'clock' | 'random' | 'telemetry'> & { indexer: Indexer }

const maxAtOnce = 64

/**
 * Embeds Units that were not embedded at ingest: their provider failed, or their pictures must be read. With backoff while it fails. One plane's provider does not delay
 * another plane's Units.
 */
function embedPending(deps: Deps): BackgroundTask {
  const backoff = createBackoff(deps.clock, maxAtOnce)
  return {
    name: 'embed pending Units',
    run: async (stopping) => {
      if (!backoff.isDue()) return 0
      const units = await deps.catalog.changes.unembedded(backoff.atOnce)
      deps.telemetry.queued('embed', units.length)
      const ofPlanes = [...Map.groupBy(units, ({ plane }) => plane)]
      const done = await Promise.allSettled(ofPlanes.map(([plane, group]) => embedPlane(deps, plane, group, stopping)))
      const failure = done.find((result) => result.status === 'rejected')
      if (failure) {
        backoff.failed()
        throw failure.reason
      }
      backoff.succeeded()
      return units.length
    },
  }
}

type Unembedded = { namespaceId: string; unitId: string; seq: number; text: string }

async function embedPlane(
  deps: Deps,
  plane: Plane,
  units: readonly Unembedded[],
  stopping: AbortSignal,
): Promise<void> {
  const { catalog, clock, inference, indexer, random } = deps
  const vectors = await embedPassages(deps, plane, units, stopping)
  const model = inference.model(plane)
  const embedded = units.map((unit, i) => ({ ...unit, values: vectors[i] ?? null }))
  for (const [namespaceId, group] of Map.groupBy(embedded, (unit) => unit.namespaceId)) {
    await catalog.transact(namespaceId, async (tx) => {
      if (!model.fallback || group.some(({ values }) => values)) await tx.fixDims(plane, model.name, model.dims)
      for (const { unitId, seq, values } of group) {
        if (!(await tx.units.embed(unitId, seq, values ? { model: model.name, values } : null))) continue
        const caller = { principalId: 'system', requestId: random.id('embed') }
        await tx.audit(auditEntry(caller, clock.now(), 'units.embed', unitId, { seq: tx.seq() }))
      }
    })
    indexer.notify(namespaceId)
  }
}
