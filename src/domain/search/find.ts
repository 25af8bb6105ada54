import { upgradeRequired } from '../../errors.ts'
import type { SearchQuery, SearchResult } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import { type ContextView, describeContext } from '../access/describe-context.ts'
import { admit } from '../access/gate.ts'
import { hiddenCount } from '../access/hidden-count.ts'
import type { Answered } from '../answer/answer-hits.ts'
import { inContext } from '../answer/follow-up.ts'
import type { Search } from '../answer/run-steps.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { createDeadlines, type Deadlines } from '../deadlines/deadlines.ts'
import type { Indexer } from '../indexing/indexer.ts'
import type { QueryCounter } from '../stats/query-counter.ts'
import { countHidden } from './count-hidden.ts'
import { checkGivenVectors } from './given-vectors.ts'
import { cutHit, type HighlightedHit } from './highlight-hits.ts'
import { plan } from './plan.ts'
import { embeddingIn, rank } from './rank.ts'

export type SearchDeps = Pick<
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
  | 'planner'
  | 'analysis'
  | 'log'
  | 'telemetry'
> &
  Pick<DomainSettings, 'inferenceTimeoutMs' | 'vectorWeights' | 'audit'> & {
    indexer: Indexer
    queries: QueryCounter
    reads: ReadRecorder
  }

export interface SearchAnswer extends SearchResult {
  context: ContextView
}

/** The session of a search. Throws 403 without `read`, 402 for an answer that the tier does not offer. */
export function admitSearch(session: Session, operation: 'search' | 'answer', query: SearchQuery): Session {
  const bound = query.scope !== undefined && !session.scopeWasRequested ? session.withScope(query.scope) : session
  admit(bound, operation)
  const tier = tiers[bound.namespace.tier]
  if (query.answer && !tier.answers) {
    throw upgradeRequired(
      `answers require the ${tier.requiredTier} tier; the namespace has ${tier.name}`,
      tier.requiredTier,
    )
  }
  return bound
}

/** What a search found. */
export interface Found {
  /** The query as it is meant: a follow-up after its earlier turns. */
  query: SearchQuery
  /** With whole texts. */
  hits: readonly HighlightedHit[]
  search: Omit<FirstSearch, 'found'>
  deadlines: Deadlines
  /** The result, with or without an answer. */
  result(answered: AnsweredFrom | null): SearchAnswer
  /** Counts and records the search; each once. */
  record(answered: AnsweredFrom | null): Promise<void>
}

/** An answer with the hits that it rests on. */
export interface AnsweredFrom extends Answered {
  hits: readonly HighlightedHit[]
}

type FirstSearch = Pick<Search<HighlightedHit>, 'again' | 'found' | 'tookMs'>

/** How many hits of a further search an answer looks at. */
const hitsPerStep = 8

/** Finds the hits, before any answer. Throws 400 for vectors of the wrong length. */
export async function find(deps: SearchDeps, bound: Session, given: SearchQuery): Promise<Found> {
  const started = performance.now()
  const query = understood(deps, given)
  const { namespace, requestId } = bound
  if (deps.audit.queries.kind === 'text') deps.telemetry.searched(query.q)
  const { made, seq, hidden, indexSeq } = await deps.telemetry.stage('plan', async () => {
    await deps.indexer.ready(namespace.id)
    const planned = plan(bound, query)
    const [{ models, ...facts }, reached] = await Promise.all([
      deps.catalog.units.searchFacts(planned.visibility),
      deps.indexer.cursor(namespace.id).catch(() => 0),
    ])
    const { indexSeq, mayBeOutdated } = await deps.indexer.state(namespace.id, reached, facts.seq)
    return { ...facts, indexSeq, made: { ...planned, models, mayBeOutdated } }
  })
  checkGivenVectors(deps, made)
  const deadlines = createDeadlines(deps.inferenceTimeoutMs)
  const embedding = embeddingIn(deps, deadlines)
  const [first, hiddenByAcl] = await Promise.all([
    rank(embedding, bound, made, deadlines),
    hiddenCount(bound, async () => (hidden > 0 ? countHidden(embedding, made, given) : 0)),
  ])
  const { found, weights, hits } = first
  const result = (answered: AnsweredFrom | null): SearchAnswer => ({
    hits: (answered?.hits ?? hits).map(cutHit),
    answer: answered?.answer ?? null,
    hiddenByAcl,
    context: describeContext(bound),
    trace: {
      requestId,
      planes: made.planes,
      clampedPlanes: made.clampedPlanes,
      legs: found.legs.map((leg) => leg.trace),
      fusion: { method: 'weighted-sum', weights },
      rerank: first.note,
      answer: answered?.trace ?? null,
      seq,
      indexSeq,
      degraded: [...new Set([...first.degraded, ...(answered?.degraded ?? [])])],
      tookMs: performance.now() - started,
    },
  })
  return {
    query,
    hits,
    deadlines,
    search: {
      tookMs: performance.now() - started,
      // The plan of the first search, so the same planes, scopes, access and filters. Given vectors were the question's.
      again: async (q) => {
        const words = { ...query, q, vector: {}, topK: hitsPerStep }
        const { hits, degraded } = await rank(embeddingIn(deps, deadlines), bound, { ...made, query: words }, deadlines)
        return { found: hits, degraded }
      },
    },
    result,
    record: async (answered) => {
      deps.queries.count(namespace.id)
      await deps.reads.searched(bound, { ...query, planes: made.planes }, (answered?.hits ?? hits).length, answered)
    },
  }
}

/** The query of a follow-up as it is meant after earlier turns; a search without an answer stays as it is. */
const understood = ({ analysis }: Pick<SearchDeps, 'analysis'>, query: SearchQuery): SearchQuery =>
  query.answer && query.history ? { ...query, q: inContext(analysis, query.q, query.history) } : query
