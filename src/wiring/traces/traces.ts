import { setTimeout as sleep } from 'node:timers/promises'
import { context } from '@opentelemetry/api'
import type { RequestTracer } from '../../http/request-tracer.ts'
import type { Telemetry } from '../../model/telemetry.ts'
import type { TracesConfig } from '../../settings/traces.ts'
import { version } from '../../version.ts'
import { carryTracesOn } from './carry-on.ts'
import { createRequestSpans } from './request-spans.ts'
import { importSdk, samplerOf } from './sdk.ts'
import { createTracedTelemetry } from './traced-telemetry.ts'

export interface Traces {
  requests: RequestTracer
  /** Makes spans, and reports to `inner`. */
  telemetry(inner: Telemetry): Telemetry
  /** Sends the last spans, for at most 5 s. */
  shutdown(): Promise<void>
}

const lastMs = 5_000
const name = 'multimodal-retrieval'

/** Loads OpenTelemetry's SDK, which sends spans in the background. Throws an OperatorError where it is not installed. */
export async function startTraces(config: Extract<TracesConfig, { kind: 'on' }>): Promise<Traces> {
  // The exporter and the resource read their variables there. They may have come from a file.
  Object.assign(process.env, config.variables)
  const sdk = await importSdk(config.protocol)
  const { resourceFromAttributes, detectResources, ...detectors } = sdk.resources
  const fromSettings = detectResources({
    detectors: [detectors.resourceAttributesEnvDetector, detectors.serviceNameEnvDetector],
  })
  const provider = new sdk.trace.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': name, 'service.version': version }).merge(fromSettings),
    sampler: samplerOf(sdk, config.sampler, config.ratio),
    spanProcessors: [
      new sdk.trace.BatchSpanProcessor({
        exporter: new sdk.exporter.OTLPTraceExporter(),
        scheduledDelayMillis: config.delayMs,
      }),
    ],
  })
  const manager = new sdk.context.AsyncLocalStorageContextManager()
  context.setGlobalContextManager(manager.enable())
  const stopCarrying = carryTracesOn()
  // Not the global one: libraries would add spans of their own, with what they think fit.
  const tracer = provider.getTracer(name, version)
  return {
    requests: createRequestSpans(tracer),
    telemetry: (inner) => createTracedTelemetry(tracer, inner),
    shutdown: async () => {
      stopCarrying()
      const sent = provider.shutdown().catch(() => {})
      await Promise.race([sent, sleep(lastMs, undefined, { ref: false })])
    },
  }
}
