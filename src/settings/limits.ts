import { availableParallelism } from 'node:os'
import { z } from 'zod'
import type { RequestLimit, RequestLimits } from '../model/request.ts'
import type { ParsingConfig } from '../wiring/parsing/parser-pool.ts'
import { decimal, integer } from './kinds.ts'

const limit = z
  .string()
  .refine(
    (text) => /^[1-9]\d{0,8}\/[1-9]\d{0,5}$/.test(text),
    'must be requests/seconds such as 600/60, both at least 1, with at most 9 and 6 digits',
  )
  .transform((text): RequestLimit => {
    const [requests = 0, seconds = 0] = text.split('/').map(Number)
    return { requests, seconds }
  })
  .optional()

/** How many requests callers may send. */
export const requestLimitSettings = {
  RATE_LIMIT_PRINCIPAL: limit.describe(
    'Requests in a number of seconds that all credentials of a principal may send, such as 600/60. Default: no limit',
  ),
  RATE_LIMIT_NAMESPACE: limit.describe(
    'Requests in a number of seconds that all principals of a home namespace may send, such as 6000/60. Default: no limit',
  ),
}

export const requestLimitsConfig = (env: z.infer<z.ZodObject<typeof requestLimitSettings>>): RequestLimits => ({
  principal: env.RATE_LIMIT_PRINCIPAL ?? null,
  namespace: env.RATE_LIMIT_NAMESPACE ?? null,
})

/** What parsing a file may use. */
export const parsingSettings = {
  PARSE_WORKERS: integer(1, 64)
    .optional()
    .describe('Files that are parsed at the same time. Default: half the cores, at least 1'),
  PARSE_MEMORY_MB: integer(128, 65_536)
    .default(512)
    .describe('Maximum memory in MB of a process that parses a file. A file that needs more fails'),
  PARSE_TIMEOUT_S: integer(1, 86_400)
    .default(120)
    .describe('Maximum time in seconds for parsing a file. A file that needs more fails'),
}

export const parsingConfig = (env: z.infer<z.ZodObject<typeof parsingSettings>>): ParsingConfig => ({
  workers: env.PARSE_WORKERS ?? Math.max(1, Math.floor(availableParallelism() / 2)),
  memoryBytes: env.PARSE_MEMORY_MB * 2 ** 20,
  timeoutMs: env.PARSE_TIMEOUT_S * 1000,
})

/** When what is no longer needed is removed. */
export const sweepingSettings = {
  SWEEP_SECONDS: decimal(1, 86_400)
    .default(600)
    .describe(
      'Seconds between two sweeps: they remove ended sessions and links, uploads that no Unit names, and the bytes of deleted scopes and namespaces',
    ),
  UNUSED_SOURCE_HOURS: decimal(0, 87_600)
    .default(24)
    .describe('Hours after which an upload that no Unit names is removed'),
}

export const sweepingConfig = (env: z.infer<z.ZodObject<typeof sweepingSettings>>) => ({
  everyMs: env.SWEEP_SECONDS * 1000,
  unusedSourceMs: env.UNUSED_SOURCE_HOURS * 3_600_000,
})

/** The settings of `/graphql`. */
export const graphqlSettings = {
  GRAPHQL_DOCUMENTS: z
    .enum(['any', 'persisted'])
    .default('any')
    .describe(
      'Which documents /graphql runs: any, or persisted (only those of the manifests: no introspection, no GraphiQL)',
    ),
  GRAPHQL_MANIFESTS: z
    .string()
    .optional()
    .transform((list = '') => list.split(',').flatMap((file) => file.trim() || []))
    .describe(
      "Comma-separated files of persisted documents, besides the console's: JSON objects from the hex SHA-256 of a document to its text",
    ),
  GRAPHQL_MAX_COST: integer(1)
    .default(10_000)
    .describe('Maximum cost of a GraphQL operation, estimated before it runs'),
}

export const graphqlConfig = (env: z.infer<z.ZodObject<typeof graphqlSettings>>) => ({
  documents: env.GRAPHQL_DOCUMENTS,
  manifests: env.GRAPHQL_MANIFESTS,
  maxCost: env.GRAPHQL_MAX_COST,
})
