import { z } from 'zod'
import type { MeilisearchConfig } from '../adapters/index-meilisearch/connection.ts'
import type { PineconeConfig } from '../adapters/index-pinecone/client.ts'
import { webAddress } from './kinds.ts'

/** Where the vectors of Units are indexed and searched. */
export type VectorIndexConfig = { kind: 'embedded' } | ({ kind: 'pinecone' } & PineconeConfig)

/** With a plane and a size added, the name of an index must have at most 45 characters. */
const prefix = /^[a-z0-9]([a-z0-9-]{0,26}[a-z0-9])?$/

/** The settings of vectors in Pinecone; its key and address are among the inference settings. */
export const pineconeSettings = {
  VECTOR_INDEX: z
    .enum(['embedded', 'pinecone'])
    .optional()
    .describe('Vector index: embedded or pinecone. Default: pinecone if PINECONE_API_KEY is set, otherwise embedded'),
  PINECONE_INDEX_PREFIX: z
    .string()
    .regex(prefix, 'must be lower-case letters, digits and hyphens, at most 28')
    .optional()
    .describe('Prefix of the index names in Pinecone. No other service may use the same prefix. Default: BRAND'),
  PINECONE_CLOUD: z
    .enum(['aws', 'gcp', 'azure'])
    .default('aws')
    .describe('Cloud in which Pinecone creates the indexes'),
  PINECONE_REGION: z.string().default('us-east-1').describe('Region of PINECONE_CLOUD'),
}

type PineconeEnv = z.infer<z.ZodObject<typeof pineconeSettings>> & {
  BRAND: string
  PINECONE_API_KEY?: string | undefined
  PINECONE_CONTROLLER_HOST?: string | undefined
}

/** Reports settings that contradict each other in `problems`. */
export function vectorIndexConfig(env: PineconeEnv, problems: string[]): VectorIndexConfig {
  const { VECTOR_INDEX: chosen, PINECONE_API_KEY: apiKey, PINECONE_CONTROLLER_HOST: host = null } = env
  if (chosen === 'pinecone' && apiKey === undefined) problems.push('PINECONE_API_KEY: is needed with VECTOR_INDEX')
  if (chosen === 'embedded' || apiKey === undefined) return { kind: 'embedded' }
  const { PINECONE_INDEX_PREFIX, BRAND, PINECONE_CLOUD: cloud, PINECONE_REGION: region } = env
  return { kind: 'pinecone', apiKey, host, prefix: PINECONE_INDEX_PREFIX ?? BRAND, cloud, region }
}

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
