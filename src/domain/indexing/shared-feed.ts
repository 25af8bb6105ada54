import { setTimeout as sleep } from 'node:timers/promises'
import type { Plane } from '../../model/unit.ts'
import type { IndexCursors, IndexLease } from '../../ports/index-cursors.ts'
import type { IndexChange, IndexedUnit, IndexFeed } from '../../ports/index-filter.ts'
import type { HeldUnit, IndexSink } from '../../ports/index-sink.ts'

/** How long a process that died keeps others from feeding what it fed. */
const leaseMs = 15_000

/** Writing ends this long before the lease does, so that nothing is under way when another process takes over. */
const marginMs = 3000

const retryMs = 100

/** How many namespaces are taken up at a time. */
const fewNamespaces = 100

/**
 * Feeds an engine that several processes share. The one that holds the lease on a namespace writes, the catalog keeps the
 * cursor, and a fence keeps a holder whose lease ran out from moving it. What such a holder may still have in flight can
 * only make a proposal wrong, which a search checks against the catalog anyway and compaction mends.
 */
export function createSharedFeed(sink: IndexSink, cursors: IndexCursors, holder: string): IndexFeed {
  /** By namespace, the last of the calls that write, one at a time. */
  const queues = new Map<string, Promise<unknown>>()
  /** By namespace, the lease that is to be given back. */
  const leases = new Map<string, { index: string; fence: number }>()

  async function inTurn<T>(namespaceId: string, work: () => Promise<T>): Promise<T> {
    const turn = (queues.get(namespaceId) ?? Promise.resolve()).then(work, work)
    queues.set(namespaceId, turn)
    try {
      return await turn
    } finally {
      if (queues.get(namespaceId) === turn) queues.delete(namespaceId)
    }
  }

  /** Runs `work` as the one that feeds the namespace; null while another process does. */
  const leased = <T>(
    namespaceId: string,
    work: (held: IndexLease & { index: string; until: AbortSignal }) => Promise<T>,
  ) =>
    inTurn(namespaceId, async () => {
      const index = await sink.identity()
      const until = AbortSignal.timeout(leaseMs - marginMs)
      const lease = await cursors.claim(namespaceId, index, holder, leaseMs)
      if (lease === null) return null
      leases.set(namespaceId, { index, fence: lease.fence })
      return work({ ...lease, index, until })
    })

  const giveBack = (namespaceId: string) =>
    inTurn(namespaceId, async () => {
      const lease = leases.get(namespaceId)
      if (lease === undefined) return
      leases.delete(namespaceId)
      await cursors.release(namespaceId, lease.index, lease.fence)
    })

  /** For what is asked for by a caller: waits until the lease is to be had. */
  async function patiently(namespaceId: string, work: Parameters<typeof leased<true>>[1]): Promise<void> {
    const deadline = performance.now() + 2 * leaseMs
    while ((await leased(namespaceId, work)) === null) {
      if (performance.now() > deadline) throw new Error('another process feeds the index')
      await sleep(retryMs)
    }
    await giveBack(namespaceId)
  }

  return {
    local: false,
    cursor: async (namespaceId) => cursors.read(namespaceId, await sink.identity()),

    apply: async (namespaceId, changes, upTo) => {
      const moved = await leased(namespaceId, async ({ index, cursor, fence, until }) => {
        if (upTo <= cursor) return true
        await sink.write(namespaceId, batchOf(changes.filter((change) => placeOf(change).seq > cursor)), until)
        return cursors.advance(namespaceId, index, fence, upTo)
      })
      return moved ?? false
    },

    release: giveBack,
    manifest: (namespaceId: string, plane: Plane) => sink.manifest(namespaceId, plane),

    repair: (namespaceId, changes) =>
      patiently(namespaceId, async ({ cursor, until }) => {
        const held = await sink.held(namespaceId, changes.map(placeOf))
        // What is ahead of the cursor will come once more, or is of a catalog that was put back to an earlier state.
        const isDue = (change: IndexChange) => {
          const { unitId, seq } = placeOf(change)
          const heldSeq = held.get(unitId) ?? 0
          return heldSeq <= seq || heldSeq > cursor
        }
        await sink.write(namespaceId, batchOf(changes.filter(isDue)), until)
        return true
      }),

    reset: (namespaceId) =>
      patiently(namespaceId, async ({ index, fence }) => {
        await sink.drop(namespaceId)
        await cursors.advance(namespaceId, index, fence, 0)
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
