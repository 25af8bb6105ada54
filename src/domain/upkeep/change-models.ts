import { ServiceError } from '../../errors.ts'
import { planes } from '../../model/unit.ts'
import type { ChangingPlane, ModelChange } from '../../ports/model-changes.ts'
import type { NamespaceWriter } from '../../ports/namespace-writer.ts'
import { auditEntry } from '../audit/audit-entry.ts'
import type { Bindings } from '../deps.ts'
import type { Indexer } from '../indexing/indexer.ts'
import { type Backoff, createBackoff } from './backoff.ts'
import type { UpkeepTask } from './upkeep.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'inference' | 'random' | 'log'> & { indexer: Indexer }
type Running = Deps & { stopping: AbortSignal }

const mostAtOnce = 64
const removedAtOnce = 500
/** How long a switch waits for the indexes to hold the new vectors, before it is tried again later. */
const indexWaitMs = 2000

/** What is remembered between two batches of a plane; all of it may be lost. */
interface Progress {
  /** By the model that is left, the last Unit looked at. */
  after: Map<string, string>
  /** The seq at which nothing was left that could be done. */
  settledAt: number | null
}

/**
 * Gives Units a vector of their plane's configured model where they have one of another. Searches go on with the old
 * vectors; when a plane of a namespace is done they switch to the new ones, and the old ones go. All state is in the
 * catalog, so a restart goes on where the last batch was committed. One plane's provider does not hold up another's.
 */
export function changeModels(deps: Deps): UpkeepTask {
  const backoffs = new Map(planes.map((plane) => [plane, createBackoff(deps.clock, mostAtOnce)]))
  const known = new Map<string, Progress>()
  return {
    name: 'embed by new models',
    run: async (stopping) => {
      const targets = new Map(planes.map((plane) => [plane, deps.inference.model(plane).name]))
      const changing = await deps.catalog.modelChanges.planes(targets)
      forgetOthers(known, changing)
      const byPlane = [...Map.groupBy(changing, ({ plane }) => plane)]
      const done = await Promise.allSettled(
        byPlane.map(([plane, group]) => workOn({ ...deps, stopping }, group, known, backoffs.get(plane))),
      )
      for (const result of done) if (result.status === 'rejected') throw result.reason
      return done.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0)
    },
  }
}

const keyOf = ({ namespaceId, plane }: ChangingPlane) => `${namespaceId} ${plane}`

function forgetOthers(known: Map<string, Progress>, changing: readonly ChangingPlane[]): void {
  const keys = new Set(changing.map(keyOf))
  for (const key of known.keys()) if (!keys.has(key)) known.delete(key)
}

/** A batch for each namespace, so that a large one does not hold up the others. */
async function workOn(
  deps: Running,
  changing: readonly ChangingPlane[],
  known: Map<string, Progress>,
  backoff: Backoff | undefined,
): Promise<number> {
  if (!backoff) return 0
  let done = 0
  for (const entry of changing) {
    const progress = known.get(keyOf(entry)) ?? { after: new Map(), settledAt: null }
    known.set(keyOf(entry), progress)
    try {
      done += await step(deps, entry, progress, backoff)
    } catch (error) {
      // Deleted meanwhile.
      if (!(error instanceof ServiceError && error.code === 'not_found')) throw error
    }
  }
  return done
}

/** The next thing to do for a plane: embed, switch, remove or end. Returns how many Units it was done for. */
async function step(deps: Running, entry: ChangingPlane, progress: Progress, backoff: Backoff): Promise<number> {
  const { catalog, indexer, inference } = deps
  const { namespaceId, plane, models } = entry
  const target = inference.model(plane).name
  const seq = await catalog.changes.headSeq(namespaceId)
  if (progress.settledAt === seq) return 0
  const changes = models
    .filter(({ model }) => model !== target)
    .map(({ model }): ModelChange => ({ namespaceId, plane, from: model, target }))
  for (const change of changes) {
    const embedded = await embedBatch(deps, entry, change, progress, backoff)
    if (embedded !== null) return embedded
  }
  if (models.some(({ model, serving }) => serving && model !== target)) {
    if (!(await indexer.waitFor(namespaceId, seq, indexWaitMs))) return 0
    await switchTo(deps, entry, target)
  }
  for (const change of changes) {
    const unitIds = await catalog.modelChanges.superseded(change, removedAtOnce)
    if (unitIds.length === 0) continue
    await write(deps, entry, 'vectors.remove', (tx) => tx.modelChange.remove(plane, target, unitIds))
    indexer.notify(namespaceId)
    return unitIds.length
  }
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

/** Null when no Unit of a pass over all of them is left. */
async function embedBatch(
  deps: Running,
  entry: ChangingPlane,
  change: ModelChange,
  { after }: Progress,
  backoff: Backoff,
): Promise<number | null> {
  const { catalog, clock, indexer, inference } = deps
  const { namespaceId, plane, from, target } = change
  if (!backoff.isDue()) return 0
  const start = after.get(from) ?? ''
  const { atOnce } = backoff
  const units = await catalog.modelChanges.outdated(change, start, atOnce)
  const last = units.at(-1)
  if (!last) {
    after.delete(from)
    // Some may have changed, or failed, in between: another pass looks.
    return start === '' ? null : 1
  }
  if (entry.models.every(({ model, since }) => model !== target || since === null)) {
    const { dims } = inference.model(plane)
    await catalog.transact(namespaceId, (tx) => tx.modelChange.begin(plane, target, dims, clock.now()))
  }
  const vectors = await embed(deps, change, units, backoff).catch((error: unknown) => {
    // A single one that always fails is passed by, and tried again in the next pass.
    if (atOnce === 1) after.set(from, last.unitId)
    throw error
  })
  const embedded = units.map(({ unitId, seq }, i) => ({ unitId, seq, values: vectors[i] ?? null }))
  await write(deps, entry, 'units.reembed', async (tx) => {
    const dims = await tx.fixDims(plane, target, inference.model(plane).dims)
    if (embedded.some(({ values }) => values && values.length !== dims)) {
      throw new Error(`${target} has other dimensions than the ${dims} that the plane ${plane} recorded for it`)
    }
    return tx.modelChange.embed(plane, target, embedded)
  })
  after.set(from, last.unitId)
  indexer.notify(namespaceId)
  return units.length
}

async function embed(
  { inference, stopping }: Running,
  { plane }: ModelChange,
  units: readonly { text: string }[],
  backoff: Backoff,
): Promise<(Float32Array | null)[]> {
  try {
    const texts = units.map(({ text }) => text)
    const vectors = await unlessAborted(stopping, inference.embed(plane, texts))
    backoff.succeeded()
    return vectors
  } catch (error) {
    backoff.failed()
    throw error
  }
}

/** A provider that hangs holds up no shutdown. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: over.signal })
  })
  return Promise.race([work, aborted]).finally(() => over.abort())
}

/** A write and its row, if it changed anything. */
async function write(
  { catalog, clock, random }: Deps,
  { namespaceId, plane }: ChangingPlane,
  action: 'units.reembed' | 'vectors.remove',
  work: (tx: NamespaceWriter) => Promise<number>,
): Promise<void> {
  await catalog.transact(namespaceId, async (tx) => {
    const units = await work(tx)
    if (units === 0) return
    const detail = { plane, units, seq: tx.seq() }
    const caller = { principalId: 'system', requestId: random.id('embed') }
    await tx.audit(auditEntry(caller, clock.now(), action, null, detail))
  })
}
