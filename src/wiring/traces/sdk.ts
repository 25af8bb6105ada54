import type { ContextManager, TracerProvider } from '@opentelemetry/api'
import { OperatorError } from '../../model/operator-error.ts'
import type { TraceSampler } from '../../settings/traces.ts'

/** The parts of OpenTelemetry's SDK in use; its types are missing where it is not installed. */
export interface TraceSdk {
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
export async function importSdk(protocol: 'http/protobuf' | 'http/json'): Promise<TraceSdk> {
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

export function samplerOf({ trace }: TraceSdk, name: TraceSampler, ratio: number): unknown {
  const root = name.endsWith('always_off')
    ? new trace.AlwaysOffSampler()
    : name.endsWith('traceidratio')
      ? new trace.TraceIdRatioBasedSampler(ratio)
      : new trace.AlwaysOnSampler()
  return name.startsWith('parentbased_') ? new trace.ParentBasedSampler({ root }) : root
}
