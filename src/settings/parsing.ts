import { availableParallelism } from 'node:os'
import type { z } from 'zod'
import type { ParsingConfig } from '../wiring/parsing/parser-pool.ts'
import { integer } from './kinds.ts'

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
