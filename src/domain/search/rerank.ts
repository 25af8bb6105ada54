import type { Log } from '../../model/log.ts'
import type { SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import { titledText } from '../../model/title.ts'
import type { Reranker } from '../../ports/models/reranker.ts'
import type { Hydrated } from './hydrate.ts'
import type { Plan } from './plan.ts'

/** The reranking of this search, or the reason for none: `note` is the reranker's name if it runs. */
export interface Reranking {
  reranker: Reranker | null
  note: string
}

export function rerankingFor(reranker: Reranker, { namespace }: Session, { rerank, q }: SearchQuery): Reranking {
  if (!rerank) return { reranker: null, note: 'off' }
  if (!tiers[namespace.tier].rerank) return { reranker: null, note: 'ignored: not part of the tier' }
  if (q.trim() === '') return { reranker: null, note: 'ignored: no query text' }
  return { reranker, note: reranker.model }
}

/** The plan of a search with a reranker: deeper, and `minScore` applies to the final scores. */
export function deepened(plan: Plan, { reranker }: Reranking): Plan {
  if (!reranker) return plan
  return { ...plan, query: { ...plan.query, topK: Math.max(plan.query.topK, reranker.depth), minScore: 0 } }
}

/** The best `topK` by the reranker's scores; ties keep their order. If it fails, the order before is kept. */
export async function rerank(
  { reranker, note }: Reranking,
  { q, topK, minScore }: SearchQuery,
  hits: readonly Hydrated[],
  log: Log,
  signal: AbortSignal,
): Promise<{ hits: Hydrated[]; note: string; failed: boolean }> {
  const cut = (ranked: readonly Hydrated[]) => ranked.filter(({ score }) => score >= minScore).slice(0, topK)
  if (!reranker) return { hits: cut(hits), note, failed: false }
  try {
    const candidates = hits.map(({ unit, score }) => ({ text: titledText(unit), score }))
    const scores = await reranker.score(q, candidates, signal)
    const ranked = hits.map((hit, i) => ({ ...hit, score: scores[i] ?? 0 })).sort((a, b) => b.score - a.score)
    return { hits: cut(ranked), note, failed: false }
  } catch (error) {
    log.warn({ err: error, model: reranker.model }, 'the reranker failed')
    return { hits: cut(hits), note: 'failed', failed: true }
  }
}
