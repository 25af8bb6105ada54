import { LRUCache } from 'lru-cache'
import type { SearchQuery } from '../../model/search.ts'
import { candidates, type Leg } from './candidates.ts'
import { contestFor, fused } from './fuse.ts'
import type { RankingDeps } from './legs.ts'
import { type Plan, unlimited } from './plan.ts'

/** How many candidates of each leg decide which Units are the best: scores are scaled by what is found further down. */
const countDepth = 200

/** Characters of what counts are kept by. */
const maxKept = 4_000_000

/** The state of the catalog and of the index that a search saw. */
export interface SearchedAt {
  seq: number
  indexSeq: number
  /** The index may lack the latest change of a Unit that it holds. */
  mayBeOutdated: boolean
}

/**
 * How many of the `topK` hits for a caller without ACL limits are hidden from this one. With many Units it is an
 * estimate, from text search and approximate nearest vectors.
 *
 * Whatever else the query has is ignored: with a filter, a threshold or a vector, the count would tell what the hidden
 * Units hold. So the next page, or another order, asks the same: counts are kept while nothing changes.
 */
export function hiddenCounter() {
  const kept = new LRUCache<string, number>({ maxSize: maxKept, sizeCalculation: (_, key) => key.length })
  return async (
    deps: RankingDeps,
    plan: Plan,
    { q, topK }: Pick<SearchQuery, 'q' | 'topK'>,
    { seq, indexSeq, mayBeOutdated }: SearchedAt,
  ): Promise<number> => {
    const { namespaceId, clauses } = plan.filter
    const callers = clauses.map(({ reader, scopeIds }) => [reader, [...scopeIds]])
    const key = JSON.stringify([namespaceId, seq, indexSeq, callers, q, topK])
    const known = kept.get(key)
    if (known !== undefined) return known
    const everything = unlimited(plan, plainQuery(q, topK))
    const { legs, degraded } = await candidates(
      deps,
      everything,
      countDepth,
      null,
      contestFor(deps, everything.query, topK),
    )
    const { entries } = await fused(deps, everything, legs)
    const best = entries.slice(0, topK).map(({ unitId }) => unitId)
    const reported = mayBeOutdated ? null : closedAmong(best, legs)
    const count = reported ?? (await deps.catalog.units.countHiddenAmong(plan.visibility, best))
    // A leg that failed may come back.
    if (degraded.length === 0) kept.set(key, count)
    return count
  }
}

/** As the indexes report it; null if none does for one of them. */
function closedAmong(unitIds: readonly string[], legs: readonly Leg[]): number | null {
  const reported = new Map<string, boolean>()
  for (const { candidates } of legs) {
    for (const { unitId, isClosed } of candidates) if (isClosed !== undefined) reported.set(unitId, isClosed)
  }
  const closed = unitIds.map((unitId) => reported.get(unitId))
  return closed.includes(undefined) ? null : closed.filter(Boolean).length
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
