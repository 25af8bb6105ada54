import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Load } from '../../domain/load.ts'
import type { RequestMeter } from '../../http/request-meter.ts'
import type { Telemetry } from '../../model/telemetry.ts'
import { version } from '../../version.ts'
import { createLoadMetrics } from './load-metrics.ts'
import { createRequestMetrics } from './request-metrics.ts'
import { createWorkMetrics } from './work-metrics.ts'

export interface Metrics {
  registry: Registry
  requests: RequestMeter
  telemetry: Telemetry
  /** Reads the gauges again. Never fails. */
  refresh(load: Load): Promise<void>
}

/** All families of metrics. Label values come from fixed lists, so their number is bounded. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'retrieval_build_info',
    help: 'Always 1.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.versions.node }, 1)
  const load = createLoadMetrics(registry)
  return {
    registry,
    requests: createRequestMetrics(registry),
    telemetry: createWorkMetrics(registry, load.queued),
    refresh: load.refresh,
  }
}
