import type { Session } from '../../model/session.ts'
import type { Inference } from '../../ports/models/inference.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import type { Deadlines } from '../deadlines/deadlines.ts'
import type { Candidates } from './candidates.ts'
import { deepenedForDiversity, diversify } from './diversify.ts'
import { type HighlightedHit, highlightHits } from './highlight-hits.ts'
import { onePerModel } from './one-per-model.ts'
import type { Plan } from './plan.ts'
import { deepened, rerank, rerankingFor } from './rerank.ts'
import { retrieve } from './retrieve.ts'

type Deps = Pick<
  Bindings,
  | 'catalog'
  | 'vectors'
  | 'texts'
  | 'passages'
  | 'inference'
  | 'formerInference'
  | 'reranker'
  | 'analysis'
  | 'log'
  | 'telemetry'
> &
  Pick<DomainSettings, 'vectorWeights'>

export interface Ranked {
  hits: HighlightedHit[]
  found: Candidates
  /** Of its legs, by name. */
  weights: Record<string, number>
  /** The reranker that ran, or why none did. */
  note: string
  degraded: string[]
}

/** The best hits of a plan, reranked if its query asks for it. */
export async function rank(deps: Deps, bound: Session, made: Plan, deadlines: Deadlines): Promise<Ranked> {
  const { query } = made
  const reranking = rerankingFor(deps.reranker, bound, query)
  const { hits: retrieved, found, weights } = await retrieve(deps, deepenedForDiversity(deepened(made, reranking)))
  const reranked = () => rerank(deps, reranking, query, retrieved, deadlines.forReranking)
  const ranked = await (reranking.reranker ? deps.telemetry.stage('rerank', reranked) : reranked())
  const diverse = await diversify(deps, bound.namespace.id, query, ranked.hits)
  const hits = await highlightHits(deps.passages, query.q, diverse)
  return {
    hits,
    found,
    weights,
    note: ranked.note,
    degraded: [...found.degraded, ...(ranked.failed ? ['rerank'] : [])],
  }
}

/** The same models, with the time that one search may wait for them. They embed its query once. */
export function embeddingIn<T extends Pick<Bindings, 'inference' | 'formerInference'>>(
  deps: T,
  deadlines: Deadlines,
): T {
  const withTimeout = (inference: Inference) => onePerModel(inference, deadlines.forEmbedding)
  return { ...deps, inference: withTimeout(deps.inference), formerInference: deps.formerInference.map(withTimeout) }
}
