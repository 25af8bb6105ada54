import { z } from 'zod'
import { integer } from './kinds.ts'

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
