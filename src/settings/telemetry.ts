import { z } from 'zod'
import type { TraceOptions } from '../adapters/traces-opentelemetry/traces.ts'
import { address, integer } from './kinds.ts'

/** The settings of `/metrics`. */
export const metricsSettings = {
  METRICS_PORT: integer(0, 65_535)
    .optional()
    .describe('Port of GET /metrics, in the text format of Prometheus. 0 selects a free port. Default: no metrics'),
  METRICS_HOST: z.string().default('127.0.0.1').describe('Address where METRICS_PORT listens'),
  METRICS_TOKEN: z.string().optional().describe('Bearer token that GET /metrics requires. Default: none'),
}

export type MetricsConfig = { kind: 'off' } | { kind: 'on'; host: string; port: number; token: string | undefined }

type Env = z.infer<z.ZodObject<typeof metricsSettings>> & { PORT: number }

export function metricsConfig(
  { METRICS_PORT: port, METRICS_HOST: host, METRICS_TOKEN: token, PORT }: Env,
  problems: string[],
): MetricsConfig {
  if (port === undefined) return { kind: 'off' }
  if (port !== 0 && port === PORT) problems.push('METRICS_PORT: must be another port than PORT')
  return { kind: 'on', host, port, token }
}

const receiver = address(['http', 'https'], 'http://host:4318').optional()

/** Settings of traces, with the names and meanings that OpenTelemetry gives them. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.describe(
    'Address of an OTLP receiver, to which /v1/traces is added. It turns traces on, which needs npm run install:otel',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.describe('The same for traces alone, used as it is'),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional().describe('Headers for the receiver: name=value, comma-separated'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json'])
    .default('http/protobuf')
    .describe('How spans are sent: http/protobuf or http/json'),
  OTEL_SERVICE_NAME: z.string().optional().describe('Name of the service in traces. Default: multimodal-retrieval'),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional().describe('Attributes of all spans: name=value, comma-separated'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on')
    .describe('Which traces are kept. With parentbased_ the caller decides, if it sends a traceparent'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number('must be a number from 0 to 1')
    .min(0, 'must be a number from 0 to 1')
    .max(1, 'must be a number from 0 to 1')
    .default(1)
    .describe('Share of traces that traceidratio keeps, from 0 to 1'),
  OTEL_BSP_SCHEDULE_DELAY: integer(0)
    .default(5000)
    .describe('Milliseconds that spans wait for others before they are sent'),
  OTEL_SDK_DISABLED: z.enum(['true', 'false']).default('false').describe('Whether traces stay off: true or false'),
}

export type TracesConfig = { kind: 'off' } | ({ kind: 'on' } & TraceOptions)

export function tracesConfig(e: z.infer<z.ZodObject<typeof traceSettings>>): TracesConfig {
  const isOn = e.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined || e.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT !== undefined
  if (!isOn || e.OTEL_SDK_DISABLED === 'true') return { kind: 'off' }
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS,
    OTEL_RESOURCE_ATTRIBUTES,
    OTEL_SERVICE_NAME,
  } = e
  const passed = {
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS,
    OTEL_RESOURCE_ATTRIBUTES,
    OTEL_SERVICE_NAME,
  }
  return {
    kind: 'on',
    protocol: e.OTEL_EXPORTER_OTLP_PROTOCOL,
    variables: Object.fromEntries(
      Object.entries(passed).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    sampler: e.OTEL_TRACES_SAMPLER,
    ratio: e.OTEL_TRACES_SAMPLER_ARG,
    delayMs: e.OTEL_BSP_SCHEDULE_DELAY,
  }
}
