import { ServiceError } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Plane } from '../../model/unit.ts'
import type { ChangingPlane, ModelChange } from '../../ports/model-changes.ts'
import type { NamespaceWriter } from '../../ports/namespace-writer.ts'
import type { BackgroundTask } from '../background/background.ts'
import { createBackoff } from '../background/backoff.ts'
import { type ChangeDeps, type ChangeProgress, embedNext, maxAtOnce } from './re-embed.ts'

const removedAtOnce = 500
/** How long a switch waits for the indexes to hold the new vectors, before it is tried again later. */
const indexWaitMs = 2000

type Deps = Omit<ChangeDeps, 'stopping'>

/**
 * Gives a plane's Units a vector of the configured model where they have one of another. Searches go on with the old
 * vectors; when the plane of a namespace is done they switch to the new ones, and the old ones go. All state is in the
 * catalog, so a restart goes on where the last batch was committed.
 */
export function changeModels(deps: Deps, plane: Plane): BackgroundTask {
  let known = new Map<string, ChangeProgress>()
  return {
    name: `embed ${plane} by a new model`,
    run: async (stopping) => {
      const { name: target } = deps.inference.model(plane)
      const changing = await deps.catalog.modelChanges.planes(plane, target)
      const fresh = (): ChangeProgress => ({
        after: new Map(),
        settledAt: null,
        backoff: createBackoff(deps.clock, maxAtOnce),
      })
      known = new Map(changing.map(({ namespaceId }) => [namespaceId, known.get(namespaceId) ?? fresh()]))
      let done = 0
      // A batch for each namespace, so that a large one does not hold up the others.
      for (const entry of changing) {
        const progress = known.get(entry.namespaceId)
        if (progress) done += await unlessItFails({ ...deps, stopping }, entry, progress)
      }
      return done
    },
  }
}

/** A namespace whose change fails is left for later, and none of the others suffers. */
async function unlessItFails(deps: ChangeDeps, entry: ChangingPlane, progress: ChangeProgress): Promise<number> {
  try {
    return await step(deps, entry, progress)
  } catch (error) {
    const isDeleted = error instanceof ServiceError && error.code === 'not_found'
    if (!isDeleted && !deps.stopping.aborted) {
      const { namespaceId, plane } = entry
      deps.log.warn({ err: error, namespaceId, plane }, 'embedding by a new model failed and will be retried')
    }
    return 0
  }
}

/** The next thing to do for a plane: embed, switch, remove or end. Returns how many Units it was done for. */
async function step(deps: ChangeDeps, entry: ChangingPlane, progress: ChangeProgress): Promise<number> {
  const { catalog, indexer, inference } = deps
  const { namespaceId, plane, models } = entry
  const { name: target } = inference.model(plane)
  if (deps.stopping.aborted || !progress.backoff.isDue()) return 0
  const seq = await catalog.changes.headSeq(namespaceId)
  if (progress.settledAt === seq) return 0
  const changes = models
    .filter(({ model }) => model !== target)
    .map(({ model }): ModelChange => ({ namespaceId, plane, from: model, target }))
  const begun = models.some(({ model, since }) => model === target && since !== null)
  for (const change of changes) {
    const embedded = await embedNext(deps, change, progress, begun)
    if (embedded !== null) return embedded
  }
  if (models.some(({ model, serving }) => serving && model !== target)) {
    if (!(await indexer.waitFor(namespaceId, seq, indexWaitMs))) return 0
    await switchTo(deps, entry, target)
  }
  for (const change of changes) {
    const unitIds = await catalog.modelChanges.superseded(change, removedAtOnce)
    if (unitIds.length === 0) continue
    await catalog.transact(namespaceId, (tx) => remove(deps, tx, change, unitIds))
    indexer.notify(namespaceId)
    return unitIds.length
  }
  // While the indexes still follow, the age of what they follow is that of the change.
  if (!(await indexer.waitFor(namespaceId, seq, indexWaitMs))) return 0
  await catalog.transact(namespaceId, (tx) => tx.modelChange.end(plane, target))
  progress.settledAt = seq
  return 0
}

async function switchTo({ catalog, clock, random }: Deps, { namespaceId, plane }: ChangingPlane, target: string) {
  await catalog.transact(namespaceId, async (tx) => {
    if (!(await tx.modelChange.serve(plane, target))) return
    const caller = { principalId: 'system', requestId: random.id('embed') }
    await tx.audit(auditEntry(caller, clock.now(), 'plane.switch', null, { plane, model: target }))
  })
}

async function remove(
  { clock, random }: Deps,
  tx: NamespaceWriter,
  { plane, target }: ModelChange,
  unitIds: readonly string[],
): Promise<void> {
  const units = await tx.modelChange.remove(plane, target, unitIds)
  if (units === 0) return
  const caller = { principalId: 'system', requestId: random.id('embed') }
  await tx.audit(auditEntry(caller, clock.now(), 'vectors.remove', null, { plane, units, seq: tx.seq() }))
}
