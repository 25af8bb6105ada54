import { z } from 'zod'
import type { Log } from '../../model/log.ts'
import type { Candidate, IndexFilter } from '../../ports/indexes/index-filter.ts'
import type { Unfed } from '../../ports/indexes/index-sink.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { TextIndex, TextQuery } from '../../ports/indexes/text-index.ts'
import { isFailure } from '../resilience/remote-error.ts'
import { queryTerms, type SearchClient } from './bm25.ts'
import { type Connection, connect, failure, isRefusal, type MeilisearchConfig } from './connection.ts'
import { filterExpression, isExact, oneOf } from './document.ts'
import { createIndexState } from './index-state.ts'
import { rank } from './rank.ts'
import { findIndex } from './setup.ts'
import { createSink } from './sink.ts'

/** How long after a late search the engine counts as down, unless a later search was in time. */
const lateMs = 15_000

/** Its dependencies. `now` is in ms, from any starting point. */
export interface Tools {
  analysis: TextAnalysis
  highlights: TextIndex['highlights']
  now(): number
  log: Log
}

/**
 * The text index in a Meilisearch: one index for all namespaces; each search uses a token for one namespace only. Texts
 * are analysed here, as for the embedded index; Meilisearch matches, filters and counts their tokens. Every failure is
 * a RemoteError, thrown within the times of `callMs`.
 */
export function createMeilisearchIndex(config: MeilisearchConfig, tools: Tools): Unfed<TextIndex> {
  const { analysis, highlights, now } = tools
  const connection = connect(config, now)
  const indexState = createIndexState(connection, now)
  let lateUntil = Number.NEGATIVE_INFINITY

  async function search(
    { rough = false, ...sought }: TextQuery,
    filter: IndexFilter,
    limit: number,
  ): Promise<Candidate[]> {
    const expression = filterExpression(filter)
    if (expression === null || limit === 0) return []
    const signal = AbortSignal.timeout(connection.callMs.search)
    const token = await indexState.searchToken(filter.namespaceId)
    const client = createSearchClient(connection, expression, token, signal)
    if (sought.text.trim() === '') {
      return watched(async () => (await client.all(limit)).map((unitId) => ({ unitId, score: 0 })))
    }
    const terms = queryTerms(sought, analysis)
    // Pairs only reorder Units that the words find, which hardly affects a count.
    const searched = rough ? terms.filter(({ kind }) => kind !== 'pair') : terms
    return searched.length === 0 ? [] : watched(() => rank(client, searched, limit))
  }

  /** Remembers whether the engine is too slow for searches. */
  async function watched(ask: () => Promise<Candidate[]>): Promise<Candidate[]> {
    try {
      const found = await ask()
      lateUntil = Number.NEGATIVE_INFINITY
      return found
    } catch (error) {
      if (isFailure(error, 'timeout')) lateUntil = now() + lateMs
      throw error
    }
  }

  return {
    engine: 'meilisearch',
    sink: createSink(connection, indexState, tools),
    ping: async () => {
      const isMade = (await indexState.state()) === 'made'
      // Checked even while it is being made: an engine that accepts the request and then stops answering is down.
      if ((await findIndex(connection, connection.callMs.probe)) === null && isMade) {
        indexState.invalidate()
        throw failure('refused', 'has no index')
      }
      // It may answer small requests in time, but no search.
      if (now() < lateUntil) throw failure('timeout', 'did not answer a search in time lately')
    },
    search: async (...query) => {
      try {
        return await search(...query)
      } catch (error) {
        // The index, its settings or the key may be gone.
        if (isRefusal(error)) indexState.invalidate()
        throw error
      }
    },
    isExact,
    findsLetters: () => false,
    highlights,
  }
}

const found = z.object({ id: z.string(), unit_id: z.string(), length: z.number(), bag: z.string() })
const listShape = z.object({ hits: z.array(z.object({ id: z.string() })) })
const countShape = z.object({ totalHits: z.number() })
const facetShape = z.object({ facetDistribution: z.object({ length_class: z.record(z.string(), z.number()) }) })
const resultsShape = z.object({ results: z.array(z.unknown()) })

/** `order` is unique per Unit, so results do not depend on the order in which the engine received Units. */
const sort = ['order:asc']

/** Queries under a filter, with a token. The signal ends all calls together. */
function createSearchClient(
  connection: Connection,
  filter: string,
  token: string,
  signal: AbortSignal,
): SearchClient & { all(limit: number): Promise<string[]> } {
  const options = { ms: connection.callMs.search, signal, token }
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
