import { auditEntry } from '../../model/audit-entry.ts'
import type { ModelChange } from '../../ports/catalog/model-changes.ts'
import type { NamespaceWriter } from '../../ports/catalog/namespace-writer.ts'
import type { Backoff } from '../background/backoff.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'

export type ChangeDeps = Pick<Bindings, 'catalog' | 'clock' | 'inference' | 'random' | 'log'> & {
  indexer: Indexer
  stopping: AbortSignal
}

export const maxAtOnce = 64

/** In-memory state of a plane's change between two batches; it is safe to lose. */
export interface ChangeProgress {
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
export async function embedNext(
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
  { inference, stopping }: ChangeDeps,
  { plane }: ModelChange,
  units: readonly { text: string }[],
  backoff: Backoff,
): Promise<(Float32Array | null)[]> {
  try {
    const texts = units.map(({ text }) => text)
    const vectors = await unlessAborted(stopping, inference.embed(plane, texts, 'passage', stopping))
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
  if (embedded.some(({ values }) => values && values.length !== dims)) {
    throw new Error(`${target} has other dimensions than the ${dims} that the plane ${plane} recorded for it`)
  }
  const units = await tx.modelChange.embed(plane, target, embedded)
  if (units === 0) return
  const caller = { principalId: 'system', requestId: random.id('embed') }
  await tx.audit(auditEntry(caller, clock.now(), 'units.reembed', null, { plane, units, seq: tx.seq() }))
}

/** A provider that hangs must not delay shutdown. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const over = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: over.signal })
  })
  return Promise.race([work, aborted]).finally(() => over.abort())
}
