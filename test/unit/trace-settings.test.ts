import { expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { configProblem } from '../support/texts/config-problem.ts'

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318'

it('traces are off until a receiver is named, and where they are disabled', () => {
  expect(readConfig({ OTEL_SERVICE_NAME: 'a' }).traces).toEqual({ kind: 'off' })
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' }).traces).toEqual({ kind: 'off' })
})

it('settings of traces are those of OpenTelemetry', () => {
  const { traces } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  })
  expect(traces).toEqual({
    kind: 'on',
    protocol: 'http/protobuf',
    variables: { OTEL_EXPORTER_OTLP_ENDPOINT },
    sampler: 'traceidratio',
    ratio: 0.25,
    delayMs: 5000,
  })
})

it('a wrong setting of traces is named', () => {
  expect(configProblem({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toContain('OTEL_EXPORTER_OTLP_ENDPOINT')
  expect(configProblem({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toContain('OTEL_EXPORTER_OTLP_PROTOCOL')
  expect(configProblem({ OTEL_TRACES_SAMPLER_ARG: '2' })).toContain('OTEL_TRACES_SAMPLER_ARG: must be a number from 0')
})
