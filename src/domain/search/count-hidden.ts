import { LRUCache } from 'lru-cache'
import type { SearchQuery } from '../../model/search.ts'
import { candidates, type RankingDeps } from './candidates.ts'
import { fused } from './coverage.ts'
import { type Plan, unlimited } from './plan.ts'

/** How many candidates of each leg decide which Units are the best: scores are scaled by what is found further down. */
const countDepth = 200

const maxKept = 1_000

/** The state of the catalog and of the index that a search saw. */
export interface SearchedAt {
  seq: number
  indexSeq: number
}

/**
 * How many of the `topK` hits for a caller without ACL limits are hidden from this one. With many Units it is an
 * estimate, from text search and approximate nearest vectors.
 *
 * Whatever else the query has is ignored: with a filter, a threshold or a vector, the count would tell what the hidden
 * Units hold. So the next page, another order or another reader asks the same: the best Units are kept while nothing changes,
 * and counted for each caller.
 */
export function hiddenCounter() {
  const kept = new LRUCache<string, readonly string[]>({ max: maxKept })
  return async (
    deps: RankingDeps,
    plan: Plan,
    { q, topK }: Pick<SearchQuery, 'q' | 'topK'>,
    at: SearchedAt,
  ): Promise<number> => {
    const query = plainQuery(q, topK)
    const everything = unlimited(plan, query)
    const scopes = everything.filter.clauses.map(({ scopeIds }) => [...scopeIds])
    const key = JSON.stringify([everything.filter.namespaceId, at, scopes, q, topK])
    let best = kept.get(key)
    if (best === undefined) {
      const { legs, degraded } = await candidates(deps, everything, countDepth, null)
      const { entries } = await fused(deps, { ...plan, query, synonyms: [] }, legs)
      best = entries.slice(0, topK).map(({ unitId }) => unitId)
      // A leg that failed may come back.
      if (degraded.length === 0) kept.set(key, best)
    }
    return deps.catalog.units.countHiddenAmong(plan.visibility, best)
  }
}

/** Every field is named, so that a new one of the caller's does not come in by itself. */
const plainQuery = (q: string, topK: number): SearchQuery => ({
  q,
  topK,
  offset: 0,
  groupSize: 1,
  sort: [],
  boost: [],
  facets: [],
  facetsLimit: 1,
  snippetLength: 0,
  filters: [],
  vector: {},
  minScore: 0,
  rerank: false,
  diversity: 0,
  answer: false,
  agentic: false,
  maxSteps: 1,
})
