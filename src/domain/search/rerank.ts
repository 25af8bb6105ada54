import type { Log } from '../../model/log.ts'
import type { SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import { titledText } from '../../model/title.ts'
import type { Passages } from '../../ports/indexes/passages.ts'
import type { Rerankable, Reranker } from '../../ports/models/reranker.ts'
import type { Hydrated } from './hydrate.ts'
import type { Plan } from './plan.ts'

/** Rerankers read the beginning of a text only: of a longer one they get the passage that matches best. UTF-8 bytes. */
const maxText = 4_096

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

interface Deps {
  passages: Passages
  log: Log
}

/**
 * All of them by the reranker's scores; ties keep their order. If it fails, the order before is kept.
 *
 * @param begin the signal at which the reranker stops
 */
export async function rerank(
  { passages, log }: Deps,
  { reranker, note }: Reranking,
  { q, minScore }: SearchQuery,
  hits: readonly Hydrated[],
  begin: () => AbortSignal,
): Promise<{ hits: Hydrated[]; note: string; failed: boolean }> {
  const cut = (ranked: readonly Hydrated[]) => ranked.filter(({ score }) => score >= minScore)
  if (!reranker) return { hits: cut(hits), note, failed: false }
  try {
    const candidates = await Promise.all(hits.map((hit) => candidateOf(passages, q, hit)))
    const scores = await reranker.score(q, candidates, begin())
    const ranked = hits.map((hit, i) => ({ ...hit, score: scores[i] ?? 0 })).sort((a, b) => b.score - a.score)
    return { hits: cut(ranked), note, failed: false }
  } catch (error) {
    log.warn({ err: error, model: reranker.model }, 'the reranker failed')
    return { hits: cut(hits), note: 'failed', failed: true }
  }
}

async function candidateOf(passages: Passages, q: string, { unit, score }: Hydrated): Promise<Rerankable> {
  const text = unit.text ?? ''
  if (text.length <= maxText / 4 || Buffer.byteLength(text) <= maxText) return { text: titledText(unit), score }
  const { start, end } = await passages.find(q, unit, maxText)
  return { text: titledText({ ...unit, text: text.slice(start, end) }), score }
}
