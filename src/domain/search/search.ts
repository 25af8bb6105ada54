import { upgradeRequired } from '../../errors.ts'
import type { SearchQuery, SearchResult } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { Inference } from '../../ports/models/inference.ts'
import { type ContextView, describeContext } from '../access/describe-context.ts'
import { admit } from '../access/gate.ts'
import { answerHits } from '../answer/answer-hits.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { createDeadlines } from '../deadlines/deadlines.ts'
import type { Indexer } from '../indexing/indexer.ts'
import type { QueryCounter } from '../stats/query-counter.ts'
import { countHidden } from './count-hidden.ts'
import { legWeights } from './fuse.ts'
import { checkGivenVectors } from './given-vectors.ts'
import { cutHit, highlightHits } from './highlight-hits.ts'
import { onePerModel } from './one-per-model.ts'
import { plan } from './plan.ts'
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
  | 'writer'
  | 'entailment'
  | 'fallbacks'
  | 'reranker'
  | 'log'
> &
  Pick<DomainSettings, 'inferenceTimeoutMs'> & {
    indexer: Indexer
    queries: QueryCounter
    reads: ReadRecorder
  }

export interface SearchAnswer extends SearchResult {
  context: ContextView
}

/**
 * Hybrid search. Errors: 400 for vectors of the wrong length, 403 without `read`, 402 for an answer that the tier does
 * not offer.
 */
export const search = (deps: Deps, session: Session, query: SearchQuery): Promise<SearchAnswer> =>
  run(deps, session, 'search', query)

/** The same, always with an answer. */
export const answer = (deps: Deps, session: Session, query: SearchQuery): Promise<SearchAnswer> =>
  run(deps, session, 'answer', query)

async function run(
  deps: Deps,
  session: Session,
  operation: 'search' | 'answer',
  query: SearchQuery,
): Promise<SearchAnswer> {
  const started = performance.now()
  const bound = query.scope !== undefined && !session.scopeWasRequested ? session.withScope(query.scope) : session
  admit(bound, operation)
  const { namespace, requestId } = bound
  const tier = tiers[namespace.tier]
  if (query.answer && !tier.answers) {
    throw upgradeRequired(
      `answers require the ${tier.requiredTier} tier; the namespace has ${tier.name}`,
      tier.requiredTier,
    )
  }
  await deps.indexer.ready(namespace.id)
  const planned = plan(bound, query)
  const [{ seq, hidden, models }, indexSeq] = await Promise.all([
    deps.catalog.units.searchFacts(planned.visibility),
    deps.indexer.cursor(namespace.id).catch(() => 0),
  ])
  const made = { ...planned, models }
  // Another process may have written changes that the index of this one lacks.
  if (indexSeq < seq) deps.indexer.notify(namespace.id)
  checkGivenVectors(deps, made)
  const reranking = rerankingFor(deps.reranker, bound, query)
  const deadlines = createDeadlines(deps.inferenceTimeoutMs)
  const withTimeout = (inference: Inference) => onePerModel(inference, deadlines.forEmbedding())
  const embedding = {
    ...deps,
    inference: withTimeout(deps.inference),
    formerInference: deps.formerInference.map(withTimeout),
  }
  const [{ hits: retrieved, found }, hiddenByAcl] = await Promise.all([
    retrieve(embedding, deepened(made, reranking)),
    hidden > 0 ? countHidden(embedding, made) : 0,
  ])
  const ranked = await rerank(reranking, query, retrieved, deps.log, deadlines.forReranking())
  const hits = await highlightHits(deps.passages, query.q, ranked.hits)
  const answered = query.answer
    ? await answerHits(
        deps,
        query.q,
        hits.map(({ hit }) => hit),
        deadlines,
      )
    : null
  deps.queries.count(namespace.id)
  await deps.reads.searched(bound, { ...query, planes: made.planes }, hits.length, answered?.answer ?? null)
  return {
    hits: hits.map(cutHit),
    answer: answered?.answer ?? null,
    hiddenByAcl,
    context: describeContext(bound),
    trace: {
      requestId,
      planes: made.planes,
      clampedPlanes: made.clampedPlanes,
      legs: found.legs.map((leg) => leg.trace),
      fusion: {
        method: 'weighted-minmax',
        weights: Object.fromEntries(found.legs.map((leg) => [leg.name, legWeights[leg.kind]])),
      },
      rerank: ranked.note,
      answer: answered?.trace ?? null,
      seq,
      indexSeq,
      degraded: [...found.degraded, ...(ranked.failed ? ['rerank'] : []), ...(answered?.degraded ?? [])],
      tookMs: performance.now() - started,
    },
  }
}
