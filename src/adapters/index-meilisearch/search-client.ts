import { z } from 'zod'
import type { SearchClient } from './bm25.ts'
import { type Connection, callMs, failure } from './connection.ts'
import { oneOf } from './document.ts'

const found = z.object({ id: z.string(), unit_id: z.string(), length: z.number(), bag: z.string() })
const listShape = z.object({ hits: z.array(z.object({ id: z.string() })) })
const countShape = z.object({ totalHits: z.number() })
const facetShape = z.object({ facetDistribution: z.object({ length_class: z.record(z.string(), z.number()) }) })
const resultsShape = z.object({ results: z.array(z.unknown()) })

/** `order` is unique per Unit, so results do not depend on the order in which the engine received Units. */
const sort = ['order:asc']

/** Queries under a filter, with a token. The signal ends all calls together. */
export function createSearchClient(
  connection: Connection,
  filter: string,
  token: string,
  signal: AbortSignal,
): SearchClient & { all(limit: number): Promise<string[]> } {
  const options = { ms: callMs.search, signal, token }
  const indexUid = connection.index

  return {
    each: async (questions) => {
      const queries = questions.map(({ among, ...question }) => {
        const narrowed = among === undefined ? filter : `${filter} AND ${oneOf('id', among)}`
        return { indexUid, filter: narrowed, sort, attributesToRetrieve: ['id'], ...question }
      })
      return connection.call(options, async (client) => {
        const { results } = resultsShape.parse(await client.multiSearch({ queries }))
        if (results.length !== questions.length) throw failure('malformed', 'left out results')
        return results.map((result, i) => {
          const { hitsPerPage, facets } = questions[i] ?? {}
          return {
            ids: listShape.parse(result).hits.map(({ id }) => id),
            count: hitsPerPage === undefined ? 0 : countShape.parse(result).totalHits,
            lengthClasses: facets === undefined ? {} : facetShape.parse(result).facetDistribution.length_class,
          }
        })
      })
    },

    merged: async (questions, limit) => {
      const query = { indexUid, filter, sort, attributesToRetrieve: ['id', 'unit_id', 'length', 'bag'] }
      const queries = questions.map((question) => ({ ...query, ...question }))
      return connection.call(options, async (client) => {
        const answer = await client.multiSearch({ queries, federation: { limit } })
        const { hits } = z.object({ hits: z.array(found) }).parse(answer)
        // Another client may have written a Unit twice.
        return [...new Map(hits.map((hit) => [hit.unit_id, hit])).values()]
      })
    },

    all: async (limit) => {
      const queries = [{ indexUid, filter, sort, attributesToRetrieve: ['unit_id'], q: '', limit }]
      return connection.call(options, async (client) => {
        const shape = z.object({ results: z.tuple([z.object({ hits: z.array(z.object({ unit_id: z.string() })) })]) })
        const { results } = shape.parse(await client.multiSearch({ queries }))
        return [...new Set(results[0].hits.map(({ unit_id }) => unit_id))]
      })
    },
  }
}
