import { setTimeout as sleep } from 'node:timers/promises'
import type { Plane } from '../../model/unit.ts'
import type { IndexCursors } from '../../ports/catalog/index-cursors.ts'
import type { IndexChange, IndexedUnit, IndexFeed } from '../../ports/indexes/index-filter.ts'
import type { HeldUnit, IndexSink } from '../../ports/indexes/index-sink.ts'
import { createIndexLeases, type HeldLease, leaseTimes } from './index-leases.ts'

const retryMs = 100

/** How many namespaces are resumed at a time. */
const fewNamespaces = 100

/**
 * Feeds an engine that several processes share. The holder of the lease on a namespace writes, and the catalog keeps
 * the cursor. A fence prevents a holder whose lease expired from moving the cursor.
 *
 * An abandoned request may still be executed, after later ones: for example a put after the deletion that followed it.
 * The same is true for the open requests of a process that died. So the cursor stays below such a write until it can no
 * longer arrive; then everything above the cursor is written again. Meanwhile searches see the changes, but count as
 * behind.
 */
export function createSharedFeed(
  sink: IndexSink,
  cursors: IndexCursors,
  holder: string,
  times = leaseTimes,
): IndexFeed {
  const { leased, giveBack } = createIndexLeases(sink.identity, cursors, holder, times)
  /** By namespace, the seq up to which changes were written that will be written again. */
  const shown = new Map<string, { fence: number; upTo: number }>()

  /** For work that a caller requested: waits until the lease is available. */
  async function withRetries(namespaceId: string, work: (lease: HeldLease) => Promise<true>): Promise<void> {
    const deadline = performance.now() + 2 * times.leaseMs
    while ((await leased(namespaceId, work)) === null) {
      if (performance.now() > deadline) throw new Error('another process feeds the index')
      await sleep(retryMs)
    }
    await giveBack(namespaceId)
  }

  const write = (namespaceId: string, { cursor, writes }: HeldLease, changes: readonly IndexChange[]) =>
    writes(cursor, (attempt) => sink.write(namespaceId, batchOf(changes), attempt))

  /** Lets searches see changes before the cursor may move. */
  async function show(
    namespaceId: string,
    lease: HeldLease & { unsettledMs: number },
    changes: readonly IndexChange[],
    upTo: number,
  ): Promise<void> {
    const { fence, cursor, unsettledMs } = lease
    const last = shown.get(namespaceId)
    const from = last?.fence === fence ? last.upTo : cursor
    if (upTo <= from) return void (await sleep(Math.min(unsettledMs, times.pollMs)))
    const fresh = changes.filter((change) => placeOf(change).seq > from)
    if (await write(namespaceId, lease, fresh)) shown.set(namespaceId, { fence, upTo })
  }

  return {
    local: false,
    cursor: async (namespaceId) => cursors.read(namespaceId, await sink.identity()),

    apply: async (namespaceId, changes, upTo, after = 0) => {
      const moved = await leased(namespaceId, async (lease) => {
        const { index, cursor, fence, unsettledMs } = lease
        if (upTo <= cursor) return true
        if (cursor < after) return false
        const due = changes.filter((change) => placeOf(change).seq > cursor)
        if (unsettledMs !== null && unsettledMs > 0) {
          await show(namespaceId, { ...lease, unsettledMs }, due, upTo)
          return false
        }
        if (!(await write(namespaceId, lease, due))) return false
        shown.delete(namespaceId)
        if (await cursors.advance(namespaceId, index, fence, upTo)) return true
        // This write may have overwritten those of the next holder.
        await lease.reopen(cursor)
        return false
      })
      return moved ?? false
    },

    release: giveBack,
    manifest: (namespaceId: string, plane: Plane) => sink.manifest(namespaceId, plane),

    repair: (namespaceId, changes) =>
      withRetries(namespaceId, async ({ cursor, writes }) => {
        const held = await sink.held(namespaceId, changes.map(placeOf))
        // An entry ahead of the cursor will be written again, or comes from a catalog that was restored since.
        const isDue = (change: IndexChange) => {
          const { unitId, seq } = placeOf(change)
          const heldSeq = held.get(unitId) ?? 0
          return heldSeq <= seq || heldSeq > cursor
        }
        const due = changes.filter(isDue)
        const below = due.reduce((least, change) => Math.min(least, placeOf(change).seq - 1), cursor)
        await writes(Math.max(0, below), (attempt) => sink.write(namespaceId, batchOf(due), attempt))
        return true
      }),

    reset: (namespaceId) =>
      withRetries(namespaceId, async ({ index, writes }) => {
        if (await writes(0, (attempt) => sink.drop(namespaceId, attempt))) {
          await cursors.reopen(namespaceId, index, 0, 0)
        }
        return true
      }),

    behind: async () => cursors.behind(await sink.identity(), fewNamespaces),
  }
}

const placeOf = (change: IndexChange): HeldUnit & { seq: number } => (change.kind === 'put' ? change.unit : change)

/** Only the latest change of each Unit counts. */
function batchOf(changes: readonly IndexChange[]): { puts: IndexedUnit[]; removals: HeldUnit[] } {
  const latest = [...new Map(changes.map((change) => [placeOf(change).unitId, change])).values()]
  return {
    puts: latest.flatMap((change) => (change.kind === 'put' ? [change.unit] : [])),
    removals: latest.flatMap((change) =>
      change.kind === 'remove' ? [{ unitId: change.unitId, plane: change.plane }] : [],
    ),
  }
}
