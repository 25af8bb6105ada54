import { z } from 'zod'
import type { MeilisearchConfig } from '../adapters/index-meilisearch/wire/meilisearch-config.ts'
import { webAddress } from './kinds.ts'

export type TextIndexConfig = { kind: 'embedded' } | ({ kind: 'meilisearch' } & MeilisearchConfig)

/** Where texts are indexed and searched. */
export const meilisearchSettings = {
  MEILI_URL: webAddress
    .refine((url) => new URL(url).username + new URL(url).password === '', 'must hold no credentials')
    .optional()
    .describe('Address of a Meilisearch server for text search. Default: the embedded text index'),
  MEILI_KEY: z
    .string()
    .optional()
    .describe('Meilisearch master key, or an admin key that may manage indexes, documents, tasks and keys'),
  MEILI_INDEX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,400}$/, 'must be letters, digits, - and _')
    .optional()
    .describe('Name of the Meilisearch index. Default: BRAND followed by `_units`'),
}

type Env = z.infer<z.ZodObject<typeof meilisearchSettings>> & { BRAND: string }

/** Reports settings that contradict each other in `problems`. */
export function textIndexConfig(
  { MEILI_URL: url, MEILI_KEY: key, MEILI_INDEX: index, BRAND }: Env,
  problems: string[],
): TextIndexConfig {
  if (url === undefined) {
    if (key !== undefined) problems.push('MEILI_URL: is needed with MEILI_KEY')
    return { kind: 'embedded' }
  }
  // Searches use tokens signed with a key. Without a master key there are no keys.
  if (key === undefined) problems.push('MEILI_KEY: is needed with MEILI_URL')
  return { kind: 'meilisearch', url, key: key ?? '', index: index ?? `${BRAND}_units` }
}
