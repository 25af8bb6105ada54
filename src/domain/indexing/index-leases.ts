import { createLimiter } from '../../async/limiter.ts'
import type { IndexCursors, IndexLease } from '../../ports/catalog/index-cursors.ts'
import type { WriteAttempt } from '../../ports/indexes/index-sink.ts'

export interface LeaseTimes {
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
export interface HeldLease extends IndexLease {
  index: string
  /**
   * Writes to the engine. False when the outcome of some request is unknown, even of a failed one: it may still be
   * executed after all later writes. Then the cursor is back at `from`, and everything above it will be written again.
   */
  writes(from: number, send: (attempt: WriteAttempt) => Promise<void>): Promise<boolean>
  /** The same when another holder may have written in between. */
  reopen(from: number): Promise<void>
}

export interface IndexLeases {
  /** Runs `work` as the process that feeds the namespace, one call at a time; null while another process feeds it. */
  leased<T>(namespaceId: string, work: (lease: HeldLease) => Promise<T>): Promise<T | null>
  giveBack(namespaceId: string): Promise<void>
}

/** The leases of one process on the namespaces of an engine. The engine's identity is read at each use. */
export function createIndexLeases(
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
