import { z } from 'zod'
import { integer } from './kinds.ts'

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

export interface GraphqlConfig {
  documents: 'any' | 'persisted'
  /** Paths of files. */
  manifests: readonly string[]
  maxCost: number
}

export const graphqlConfig = (env: z.infer<z.ZodObject<typeof graphqlSettings>>): GraphqlConfig => ({
  documents: env.GRAPHQL_DOCUMENTS,
  manifests: env.GRAPHQL_MANIFESTS,
  maxCost: env.GRAPHQL_MAX_COST,
})
