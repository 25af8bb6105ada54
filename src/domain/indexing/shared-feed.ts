import { setTimeout as sleep } from 'node:timers/promises'
import { createLimiter } from '../../async/limits.ts'
import type { Plane } from '../../model/unit.ts'
import type { IndexCursors, IndexLease } from '../../ports/catalog.ts'
import type { IndexChange, IndexedUnit, IndexFeed, ReadersChange } from '../../ports/indexes/index-filter.ts'
import type { HeldUnit, IndexSink, WriteAttempt } from '../../ports/indexes/index-sink.ts'

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

  const send = async (namespaceId: string, changes: readonly IndexChange[], attempt: WriteAttempt) => {
    const { readers, ...batch } = batchOf(changes)
    if (batch.puts.length + batch.removals.length > 0) await sink.write(namespaceId, batch, attempt)
    if (readers.length > 0) await sink.changeReaders?.(namespaceId, readers, attempt)
  }

  const write = (namespaceId: string, { cursor, writes }: HeldLease, changes: readonly IndexChange[]) =>
    writes(cursor, (attempt) => send(namespaceId, changes, attempt))

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
    ...(sink.changeReaders && { held: (namespaceId, units) => sink.held(namespaceId, units) }),

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
        await writes(Math.max(0, below), (attempt) => send(namespaceId, due, attempt))
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

/** Only the latest change of each Unit counts; other readers of one that is put are put with it. */
function batchOf(changes: readonly IndexChange[]): {
  puts: IndexedUnit[]
  removals: HeldUnit[]
  readers: ReadersChange[]
} {
  const latest = new Map<string, IndexChange>()
  for (const change of changes) {
    const { unitId, seq } = placeOf(change)
    const before = latest.get(unitId)
    if (change.kind === 'readers' && before?.kind === 'put') {
      const { acl, updatedAt } = change
      latest.set(unitId, { kind: 'put', unit: { ...before.unit, seq, acl, updatedAt } })
    } else latest.set(unitId, change)
  }
  const of = [...latest.values()]
  return {
    puts: of.flatMap((change) => (change.kind === 'put' ? [change.unit] : [])),
    removals: of.flatMap((change) =>
      change.kind === 'remove' ? [{ unitId: change.unitId, plane: change.plane }] : [],
    ),
    readers: of.filter((change) => change.kind === 'readers'),
  }
}

interface LeaseTimes {
  /** How long the lease of a process that died keeps others from feeding its namespaces. */
  leaseMs: number
  /** Writing stops this long before the lease ends. */
  marginMs: number
  /** For how long an abandoned request may still be executed. */
  settleMs: number
  /** How often to check whether that time is over. */
  pollMs: number
}

export const leaseTimes: LeaseTimes = { leaseMs: 15_000, marginMs: 3000, settleMs: 10_000, pollMs: 500 }

/** The lease on a namespace while its holder works. */
interface HeldLease extends IndexLease {
  index: string
  /**
   * Writes to the engine. False when the outcome of some request is unknown, even of a failed one: it may still be
   * executed after all later writes. Then the cursor is back at `from`, and everything above it will be written again.
   */
  writes(from: number, send: (attempt: WriteAttempt) => Promise<void>): Promise<boolean>
  /** The same when another holder may have written in between. */
  reopen(from: number): Promise<void>
}

interface IndexLeases {
  /** Runs `work` as the process that feeds the namespace, one call at a time; null while another process feeds it. */
  leased<T>(namespaceId: string, work: (lease: HeldLease) => Promise<T>): Promise<T | null>
  giveBack(namespaceId: string): Promise<void>
}

/** The leases of one process on the namespaces of an engine. The engine's identity is read at each use. */
function createIndexLeases(
  identity: () => Promise<string>,
  cursors: IndexCursors,
  holder: string,
  { leaseMs, marginMs, settleMs }: LeaseTimes,
): IndexLeases {
  /** The calls of a namespace run one at a time. */
  const calls = createLimiter({ max: 1 })
  /** By namespace, the lease to give back. */
  const leases = new Map<string, { index: string; fence: number }>()
  /** By namespace, unsettled writes that could not be recorded yet. */
  const unrecorded = new Map<string, { index: string; from: number }>()

  async function record(namespaceId: string): Promise<void> {
    const open = unrecorded.get(namespaceId)
    if (open === undefined) return
    await cursors.reopen(namespaceId, open.index, open.from, settleMs)
    unrecorded.delete(namespaceId)
  }

  async function reopen(namespaceId: string, index: string, from: number): Promise<void> {
    const known = unrecorded.get(namespaceId)
    unrecorded.set(namespaceId, { index, from: known?.index === index ? Math.min(known.from, from) : from })
    await record(namespaceId)
  }

  return {
    leased: (namespaceId, work) =>
      calls.run({ key: namespaceId }, async () => {
        await record(namespaceId)
        const index = await identity()
        const signal = AbortSignal.timeout(leaseMs - marginMs)
        // A holder whose lease expired has sent nothing in the margin.
        const times = { ttlMs: leaseMs, settleMs: settleMs - marginMs }
        const lease = await cursors.claim(namespaceId, index, holder, times)
        if (lease === null) return null
        leases.set(namespaceId, { index, fence: lease.fence })
        const writes: HeldLease['writes'] = async (from, send) => {
          let settled = true
          const unsettled = () => {
            settled = false
          }
          try {
            await send({ signal, again: lease.unsettledMs !== null, unsettled })
          } finally {
            if (!settled) await reopen(namespaceId, index, from)
          }
          return settled
        }
        return work({ ...lease, index, writes, reopen: (from) => reopen(namespaceId, index, from) })
      }),

    giveBack: (namespaceId) =>
      calls.run({ key: namespaceId }, async () => {
        const lease = leases.get(namespaceId)
        if (lease === undefined) return
        await record(namespaceId)
        leases.delete(namespaceId)
        await cursors.release(namespaceId, lease.index, lease.fence)
      }),
  }
}
