import type { Candidate, IndexFilter } from '../../ports/index-filter.ts'
import type { Unfed } from '../../ports/index-sink.ts'
import type { TextAnalysis } from '../../ports/text-analysis.ts'
import type { TextIndex, TextQuery } from '../../ports/text-index.ts'
import { createDesk } from './desk.ts'
import { filterExpression } from './filter.ts'
import type { MeilisearchConfig } from './meilisearch-config.ts'
import { queryTerms } from './ranking/query-terms.ts'
import { rank } from './ranking/rank.ts'
import { findIndex } from './setup.ts'
import { createSink } from './sink.ts'
import { createStanding } from './standing.ts'
import { callMs, connect } from './wire/connection.ts'
import { EngineError } from './wire/engine-error.ts'

/** What it works with. `now` is in ms, from any moment on. */
export interface Tools {
  analysis: TextAnalysis
  highlights: TextIndex['highlights']
  now(): number
}

/**
 * The text index in a Meilisearch: one index for all namespaces, each searched with a token that opens it alone. Texts are
 * analysed here, as for the embedded index; Meilisearch matches, filters and counts their tokens. Every failure is thrown
 * as an EngineError, within the times of `callMs`.
 */
export function createMeilisearchIndex(
  config: MeilisearchConfig,
  { analysis, highlights, now }: Tools,
): Unfed<TextIndex> {
  const connection = connect(config, now)
  const standing = createStanding(connection, now)

  async function search({ text }: TextQuery, filter: IndexFilter, limit: number): Promise<Candidate[]> {
    const expression = filterExpression(filter)
    if (expression === null || limit === 0) return []
    const signal = AbortSignal.timeout(callMs.search)
    const token = await standing.searchToken(filter.namespaceId)
    const desk = createDesk(connection, expression, token, signal)
    if (text.trim() === '') {
      return (await desk.all(limit)).map((unitId) => ({ unitId, score: 0 }))
    }
    const terms = queryTerms(text, analysis)
    return terms.length === 0 ? [] : rank(desk, terms, limit)
  }

  return {
    engine: 'meilisearch',
    sink: createSink(connection, standing, analysis),
    ping: async () => {
      await standing.identity()
      if ((await findIndex(connection, callMs.probe)) === null) {
        standing.doubt()
        throw new EngineError('refused', 'has no index')
      }
    },
    search: async (...asked) => {
      try {
        return await search(...asked)
      } catch (error) {
        // The index, its settings or the key may have gone.
        if (error instanceof EngineError && error.code === 'refused') standing.doubt()
        throw error
      }
    },
    highlights,
  }
}
