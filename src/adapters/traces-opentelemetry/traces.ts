import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ContextManager,
  context,
  createContextKey,
  isSpanContextValid,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { OperatorError } from '../../model/operator-error.ts'
import type { RequestTracer, Telemetry } from '../../model/telemetry.ts'
import { version } from '../../version.ts'
import { createRequestSpans, createTracedTelemetry } from './spans.ts'

export interface TraceOptions {
  protocol: 'http/protobuf' | 'http/json'
  /** The variables of the exporter and the resource, as OpenTelemetry reads them. */
  variables: Readonly<Record<string, string>>
  /** OpenTelemetry's name of a sampler. */
  sampler: string
  /** 0 to 1. */
  ratio: number
  delayMs: number
}

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
export async function startTraces(options: TraceOptions): Promise<Traces> {
  // The exporter and the resource read their variables there. They may have come from a file.
  Object.assign(process.env, options.variables)
  const sdk = await importSdk(options.protocol)
  const { resourceFromAttributes, detectResources, ...detectors } = sdk.resources
  const fromSettings = detectResources({
    detectors: [detectors.resourceAttributesEnvDetector, detectors.serviceNameEnvDetector],
  })
  const provider = new sdk.trace.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': name, 'service.version': version }).merge(fromSettings),
    sampler: samplerOf(sdk, options.sampler, options.ratio),
    spanProcessors: [
      new sdk.trace.BatchSpanProcessor({
        exporter: new sdk.exporter.OTLPTraceExporter(),
        scheduledDelayMillis: options.delayMs,
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

/** The parts of OpenTelemetry's SDK in use; its types are missing where it is not installed. */
interface TraceSdk {
  trace: {
    TracerProvider: new (options: {
      resource: unknown
      sampler: unknown
      spanProcessors: unknown[]
    }) => TracerProvider & { shutdown(): Promise<void> }
    BatchSpanProcessor: new (options: { exporter: unknown; scheduledDelayMillis: number }) => unknown
    AlwaysOnSampler: new () => unknown
    AlwaysOffSampler: new () => unknown
    TraceIdRatioBasedSampler: new (ratio: number) => unknown
    ParentBasedSampler: new (options: { root: unknown }) => unknown
  }
  exporter: { OTLPTraceExporter: new () => unknown }
  context: { AsyncLocalStorageContextManager: new () => ContextManager }
  resources: {
    resourceFromAttributes(attributes: Record<string, string>): { merge(other: unknown): unknown }
    detectResources(options: { detectors: unknown[] }): unknown
    resourceAttributesEnvDetector: unknown
    serviceNameEnvDetector: unknown
  }
}

// Hidden from the compiler: the packages are optional.
const scope: string = '@opentelemetry'

/** Throws an OperatorError where the packages are missing. */
async function importSdk(protocol: TraceOptions['protocol']): Promise<TraceSdk> {
  try {
    return {
      trace: await import(`${scope}/sdk-trace`),
      exporter: await import(`${scope}/exporter-trace-otlp-${protocol === 'http/json' ? 'http' : 'proto'}`),
      context: await import(`${scope}/context-async-hooks`),
      resources: await import(`${scope}/resources`),
    }
  } catch (error) {
    const message = error instanceof Error ? error.message.split('\n')[0] : `${error}`
    throw new OperatorError(
      `cannot start: traces need OpenTelemetry's SDK, which cannot be loaded (${message}); npm run install:otel brings it`,
    )
  }
}

function samplerOf({ trace }: TraceSdk, name: string, ratio: number): unknown {
  const root = name.endsWith('always_off')
    ? new trace.AlwaysOffSampler()
    : name.endsWith('traceidratio')
      ? new trace.TraceIdRatioBasedSampler(ratio)
      : new trace.AlwaysOnSampler()
  return name.startsWith('parentbased_') ? new trace.ParentBasedSampler({ root }) : root
}

/** Set by OpenTelemetry's SDK while it sends spans. */
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

/** The parts of undici's request in use. */
interface FetchRequest {
  addHeader(name: string, value: string): void
}

/** Headers (W3C Trace Context) of the active span; empty where there is none. */
function headers(): [string, string][] {
  const active = context.active()
  const span = active.getValue(suppressed) === true ? undefined : trace.getSpanContext(active)
  if (span === undefined || !isSpanContextValid(span)) return []
  const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0')
  const state = span.traceState?.serialize() ?? ''
  return [['traceparent', `00-${span.traceId}-${span.spanId}-${flags}`], ...stateOf(state)]
}

const stateOf = (state: string): [string, string][] => (state === '' ? [] : [['tracestate', state]])

/** Requests to vendors carry the trace on: by `fetch`, and by `node:http`, which some SDKs use. */
function carryTracesOn(): () => void {
  const onFetch = (message: unknown) => {
    const { request } = message as { request: FetchRequest }
    for (const [name, value] of headers()) request.addHeader(name, value)
  }
  const onRequest = (message: unknown) => {
    const { request } = message as { request: ClientRequest }
    if (request.headersSent) return
    for (const [name, value] of headers()) request.setHeader(name, value)
  }
  subscribe('undici:request:create', onFetch)
  subscribe('http.client.request.created', onRequest)
  return () => {
    unsubscribe('undici:request:create', onFetch)
    unsubscribe('http.client.request.created', onRequest)
  }
}
