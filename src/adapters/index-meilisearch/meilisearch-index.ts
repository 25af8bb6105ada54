import type { Log } from '../../model/log.ts'
import type { Candidate, IndexFilter } from '../../ports/indexes/index-filter.ts'
import type { Unfed } from '../../ports/indexes/index-sink.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { TextIndex, TextQuery } from '../../ports/indexes/text-index.ts'
import { isFailure } from '../resilience/remote-error.ts'
import { queryTerms } from './bm25.ts'
import type { MeilisearchConfig } from './connection.ts'
import { callMs, connect, failure, isRefusal } from './connection.ts'
import { filterExpression, isExact } from './document.ts'
import { createIndexState } from './index-state.ts'
import { rank } from './rank.ts'
import { createSearchClient } from './search-client.ts'
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
    const signal = AbortSignal.timeout(callMs.search)
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
      if ((await findIndex(connection, callMs.probe)) === null && isMade) {
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
