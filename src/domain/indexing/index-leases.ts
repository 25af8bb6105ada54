import type { IndexCursors, IndexLease } from '../../ports/index-cursors.ts'
import type { WriteAttempt } from '../../ports/index-sink.ts'

export interface LeaseTimes {
  /** How long a process that died keeps others from feeding what it fed. */
  leaseMs: number
  /** Writing ends this long before the lease does. */
  marginMs: number
  /** For how long a request that was given up may still be done. */
  settleMs: number
  /** How often it is looked whether that is over. */
  pollMs: number
}

export const leaseTimes: LeaseTimes = { leaseMs: 15_000, marginMs: 3000, settleMs: 10_000, pollMs: 500 }

/** The lease on a namespace while its holder works. */
export interface HeldLease extends IndexLease {
  index: string
  /**
   * Writes to the engine. False when the outcome of some request is unknown, be it of one that failed: it may be done
   * after all that is written later. Then the cursor is back at `from`, and what is above it will be written again.
   */
  writes(from: number, send: (attempt: WriteAttempt) => Promise<void>): Promise<boolean>
  /** The same for what may have been overtaken by another holder. */
  reopen(from: number): Promise<void>
}

export interface IndexLeases {
  /** Runs `work` as the one that feeds the namespace, one at a time; null while another process does. */
  leased<T>(namespaceId: string, work: (lease: HeldLease) => Promise<T>): Promise<T | null>
  giveBack(namespaceId: string): Promise<void>
}

/** Leases of one process on the namespaces of an engine, whose identity is asked for at each use. */
export function createIndexLeases(
  identity: () => Promise<string>,
  cursors: IndexCursors,
  holder: string,
  { leaseMs, marginMs, settleMs }: LeaseTimes,
): IndexLeases {
  /** By namespace, the last of the calls that write, one at a time. */
  const queues = new Map<string, Promise<unknown>>()
  /** By namespace, the lease that is to be given back. */
  const leases = new Map<string, { index: string; fence: number }>()
  /** By namespace, what is unsettled and could not be recorded yet. */
  const unrecorded = new Map<string, { index: string; from: number }>()

  async function inTurn<T>(namespaceId: string, work: () => Promise<T>): Promise<T> {
    const turn = (queues.get(namespaceId) ?? Promise.resolve()).then(work, work)
    queues.set(namespaceId, turn)
    try {
      return await turn
    } finally {
      if (queues.get(namespaceId) === turn) queues.delete(namespaceId)
    }
  }

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
      inTurn(namespaceId, async () => {
        await record(namespaceId)
        const index = await identity()
        const signal = AbortSignal.timeout(leaseMs - marginMs)
        // Whoever let it run out sent nothing in the margin.
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
      inTurn(namespaceId, async () => {
        const lease = leases.get(namespaceId)
        if (lease === undefined) return
        await record(namespaceId)
        leases.delete(namespaceId)
        await cursors.release(namespaceId, lease.index, lease.fence)
      }),
  }
}
