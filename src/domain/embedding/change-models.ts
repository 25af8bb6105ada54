import { type Backoff, createBackoff } from '../../async/backoff.ts'
import { unlessAborted } from '../../async/limits.ts'
import { ServiceError } from '../../errors.ts'
import { auditEntry } from '../../model/audit.ts'
import type { Plane } from '../../model/unit.ts'
import type { ChangingPlane, ModelChange, NamespaceWriter } from '../../ports/catalog.ts'
import type { BackgroundTask } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { embedPassages, type PassageDeps } from './embed-passages.ts'

const removedAtOnce = 500
/** How long a switch waits until the indexes have the new vectors; after that it is tried again later. */
const indexWaitMs = 2000

type Deps = Omit<ChangeDeps, 'stopping'>

/**
 * Gives a plane's Units a vector of the configured model if they have one of another. Until the plane of a namespace is
 * done, its searches use the old vectors. Then they switch to the new ones, and the old ones are removed. All state is
 * in the catalog, so after a restart it continues from the last committed batch.
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
      // One batch for each namespace, so that a large one does not delay the others.
      for (const entry of changing) {
        const progress = known.get(entry.namespaceId)
        if (progress) done += await unlessItFails({ ...deps, stopping }, entry, progress)
      }
      return done
    },
  }
}

/** A namespace whose change fails is tried again later, and the others are not affected. */
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

/** The next step for a plane: embed, switch, remove or end. Returns the number of Units. */
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
  // While the indexes catch up, the age of their pending changes is that of the model change.
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

type ChangeDeps = PassageDeps &
  Pick<Bindings, 'clock' | 'random'> & {
    indexer: Indexer
    stopping: AbortSignal
  }

const maxAtOnce = 64

/** In-memory state of a plane's change between two batches; it is safe to lose. */
interface ChangeProgress {
  /** The last Unit checked, by former model. */
  after: Map<string, string>
  /** The seq at which nothing was left to do. */
  settledAt: number | null
  backoff: Backoff
}

/**
 * Embeds the next Units that have only a vector of the former model, outside any transaction. Returns how many, null
 * when a whole pass found none.
 */
async function embedNext(
  deps: ChangeDeps,
  change: ModelChange,
  { after, backoff }: ChangeProgress,
  begun: boolean,
): Promise<number | null> {
  const { catalog, clock, indexer, inference } = deps
  const { namespaceId, plane, from, target } = change
  const start = after.get(from) ?? ''
  const units = await catalog.modelChanges.outdated(change, start, backoff.atOnce)
  const last = units.at(-1)
  if (!last) {
    after.delete(from)
    // Some may have changed or failed since: another pass is needed.
    return start === '' ? null : 1
  }
  if (!begun) {
    const { dims } = inference.model(plane)
    await catalog.transact(namespaceId, (tx) => tx.modelChange.begin(plane, target, dims, clock.now()))
  }
  const vectors = await embed(deps, change, units, backoff).catch((error: unknown) => {
    // Skips a single Unit that always fails, and tries it again in the next pass.
    if (units.length === 1) after.set(from, last.unitId)
    throw error
  })
  const embedded = units.map(({ unitId, seq }, i) => ({ unitId, seq, values: vectors[i] ?? null }))
  await catalog.transact(namespaceId, (tx) => write(deps, tx, change, embedded))
  after.set(from, last.unitId)
  indexer.notify(namespaceId)
  return units.length
}

async function embed(
  deps: ChangeDeps,
  { namespaceId, plane }: ModelChange,
  units: readonly { unitId: string; text: string }[],
  backoff: Backoff,
): Promise<(Float32Array | null)[]> {
  try {
    const { stopping } = deps
    const passages = units.map(({ unitId, text }) => ({ namespaceId, unitId, text }))
    // A provider that hangs must not delay shutdown.
    const vectors = await unlessAborted(embedPassages(deps, plane, passages, stopping), stopping)
    backoff.succeeded()
    return vectors
  } catch (error) {
    backoff.failed()
    throw error
  }
}

async function write(
  { clock, inference, random }: ChangeDeps,
  tx: NamespaceWriter,
  { plane, target }: ModelChange,
  embedded: readonly { unitId: string; seq: number; values: Float32Array | null }[],
): Promise<void> {
  const dims = await tx.fixDims(plane, target, inference.model(plane).dims)
  if (embedded.some(({ values }) => values && values.length % dims !== 0)) {
    throw new Error(`${target} has other dimensions than the ${dims} that the plane ${plane} recorded for it`)
  }
  const units = await tx.modelChange.embed(plane, target, embedded)
  if (units === 0) return
  const caller = { principalId: 'system', requestId: random.id('embed') }
  await tx.audit(auditEntry(caller, clock.now(), 'units.reembed', null, { plane, units, seq: tx.seq() }))
}
