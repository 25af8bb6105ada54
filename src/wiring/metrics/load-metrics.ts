import { Gauge, type Registry } from 'prom-client'
import type { Load } from '../../domain/load.ts'
import type { TaskQueue } from '../../model/telemetry.ts'

export interface LoadMetrics {
  queued(queue: TaskQueue, length: number): void
  /** Reads all gauges again. Never fails: what is not known in time is left out. */
  refresh(load: Load): Promise<void>
}

/** How long a scrape waits for the catalog and for threads. */
const timeoutMs = 1000

export function createLoadMetrics(registry: Registry): LoadMetrics {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const pending = gauge('retrieval_index_pending', 'Changes that an index lacks.', ['plane'])
  const lag = gauge('retrieval_index_lag_seconds', 'Age of the oldest change that an index lacks, else 0.', ['plane'])
  const units = gauge('retrieval_index_units', 'Units that the embedded index has in memory.', ['plane'])
  const memory = gauge('retrieval_index_memory_bytes', 'Memory of the embedded index.', ['plane'])
  const connections = gauge(
    'retrieval_catalog_connections',
    'Connections of the catalog, and work that waits for one.',
    ['state'],
  )
  const queues = gauge('retrieval_queue_length', 'Length of queues: of embed, what a pass found, at most 64.', [
    'queue',
  ])
  const checkpoints = gauge(
    'retrieval_audit_checkpoint_age_seconds',
    'Age of the newest checkpoint of the log that has waited longest for one, 0 where none has grown.',
    [],
  )
  const anchor = gauge('retrieval_audit_anchor_behind', 'Whether the anchor lacks checkpoints: 0 or 1.', [])
  const events = gauge(
    'retrieval_billing_events_waiting',
    'Lookups at the payment provider that wait, counted up to 1000.',
    [],
  )

  const read = async (load: Load): Promise<void> => {
    const now = load.now()
    queues.set({ queue: 'index' }, now.indexing)
    queues.set({ queue: 'audit_reads' }, now.auditRows)
    checkpoints.set(now.checkpointAgeMs / 1000)
    anchor.set(now.anchorIsBehind ? 1 : 0)
    for (const [state, count] of Object.entries(now.connections ?? {})) connections.set({ state }, count)
    const [waiting, content, billed] = await Promise.all([
      inTime(load.pending()),
      inTime(load.content()),
      inTime(load.billingEvents()),
    ])
    for (const one of [pending, lag, units, memory]) one.reset()
    for (const [plane, { changes, lagMs }] of waiting ?? []) {
      pending.set({ plane }, changes)
      lag.set({ plane }, lagMs / 1000)
    }
    for (const [plane, held] of content ?? []) {
      units.set({ plane }, held.units)
      memory.set({ plane }, held.bytes)
    }
    if (billed === null) events.remove()
    else events.set(billed)
  }

  let reading: Promise<void> | null = null
  return {
    queued: (queue, length) => queues.set({ queue }, length),
    refresh: (load) => {
      // Scrapes of the same moment share what they read.
      reading ??= read(load).finally(() => {
        reading = null
      })
      return reading
    },
  }
}

/** Null when it fails or takes too long. */
async function inTime<T>(asked: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs)
  })
  return Promise.race([asked.catch(() => null), late]).finally(() => clearTimeout(timer))
}
