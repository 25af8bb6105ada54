import { upgradeRequired } from '../../errors.ts'
import type { AnswerSentence } from '../../model/answer.ts'
import type { SearchQuery, SearchResult } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import { admit } from '../access/gate.ts'
import { type ContextView, describeContext, hiddenCount } from '../access/visibility.ts'
import { type Answered, answerHits } from '../answer/answer-hits.ts'
import { inContext } from '../answer/follow-up.ts'
import { runSteps } from '../answer/run-steps.ts'
import type { ReadRecorder } from '../audit/record-reads.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import type { Indexer } from '../indexing/indexer.ts'
import type { QueryCounter } from '../stats/stats.ts'
import { createDeadlines, holdIn, type Turns, weightOfQuery } from '../turns/turns.ts'
import { embeddingIn } from './candidates.ts'
import type { hiddenCounter } from './count-hidden.ts'
import { checkQueryVectors, type RankingDeps } from './legs.ts'
import { planSearch } from './plan.ts'
import { queryPicture } from './query-picture.ts'
import { readQuery, rulesOf } from './query-syntax.ts'
import { cutHit, type HighlightedHit, rank } from './rank.ts'
import { likenessOf } from './similar.ts'
import type { synonymFinder } from './synonyms.ts'

export type SearchDeps = RankingDeps &
  Pick<Bindings, 'writer' | 'entailment' | 'fallbacks' | 'planner' | 'objects'> &
  Pick<DomainSettings, 'inferenceTimeoutMs' | 'audit'> & {
    indexer: Indexer
    queries: QueryCounter
    reads: ReadRecorder
    turns: Turns
    countHidden: ReturnType<typeof hiddenCounter>
    synonymsOf: ReturnType<typeof synonymFinder>
  }

export interface SearchAnswer extends SearchResult {
  context: ContextView
}

/** The hits, then each sentence that passed, then the whole. */
export type AnswerEvent =
  | { kind: 'searched'; result: SearchAnswer }
  | ({ kind: 'sentence' } & AnswerSentence)
  | { kind: 'finished'; result: SearchAnswer }

export const createSearch = (deps: SearchDeps) => (session: Session) => ({
  search: (query: SearchQuery) =>
    deps.turns.answering(session, weightOfQuery(query), () => search(deps, session, query)),
  answer: (query: SearchQuery) =>
    deps.turns.answering(session, weightOfQuery(query), () => search(deps, session, query, 'answer')),
  /**
   * The answer of `answer`, as it is made. It is counted and recorded once, even if nobody reads to its end. Throws 403
   * and 402 at once; other errors end the stream.
   */
  streamAnswer: (query: SearchQuery) => stream(deps, admitSearch(session, 'answer', query), query),
})

/**
 * Hybrid search, with an answer if the query asks for one. Errors: 400 for vectors of the wrong length and bad pictures, 403 without
 * `read`, 402 for an answer that the tier does not offer.
 */
export async function search(
  deps: SearchDeps,
  session: Session,
  query: SearchQuery,
  operation: 'search' | 'answer' = 'search',
): Promise<SearchAnswer> {
  const found = await find(deps, admitSearch(session, operation, query), query)
  const answered = query.answer ? await found.answer() : null
  await found.record(answered)
  return found.result(answered)
}

async function* stream(deps: SearchDeps, session: Session, query: SearchQuery): AsyncGenerator<AnswerEvent> {
  const inTurn = <T>(work: () => Promise<T>) => deps.turns.reading(session, weightOfQuery(query), work)
  const found = await inTurn(() => find(deps, session, query))
  const answering = inTurn(async () => {
    const answered = await found.answer()
    await found.record(answered)
    return answered
  })
  // A reader that leaves after the hits does not wait for it.
  answering.catch(() => {})
  const result = found.result(null)
  if (session.facts.room) holdIn(session.facts.room, result)
  yield { kind: 'searched', result }
  const answered = await answering
  // All were judged together: a judge that fails halfway must not leave sentences that its replacement rejects.
  for (const sentence of answered.answer.sentences) yield { kind: 'sentence', ...sentence }
  yield { kind: 'finished', result: found.result(answered) }
}

/** The session of a search. Throws 403 without `read`, 402 for an answer that the tier does not offer. */
export function admitSearch(requester: Session, operation: 'search' | 'answer', query: SearchQuery): Session {
  const session =
    query.scope !== undefined && !requester.scopeWasRequested ? requester.withScope(query.scope) : requester
  admit(session, operation)
  const tier = tiers[session.namespace.tier]
  if (query.answer && !tier.answers) {
    throw upgradeRequired('answers require', session.namespace, tier.requiredTier)
  }
  return session
}

/** What a search found. */
interface FoundHits {
  /** Answers from the hits, and from those of further searches if the caller allows them. */
  answer(): Promise<AnsweredFrom>
  /** The result, with or without an answer. */
  result(answered: AnsweredFrom | null): SearchAnswer
  /** Counts and records the search; each once. */
  record(answered: AnsweredFrom | null): Promise<void>
}

/** An answer with the hits that it rests on. */
interface AnsweredFrom extends Answered {
  hits: readonly HighlightedHit[]
}

/** How many hits of a further search an answer looks at. */
const hitsPerStep = 8

/** Finds the hits, before any answer. Throws 400 for vectors of the wrong length and for bad pictures. */
export async function find(deps: SearchDeps, session: Session, original: SearchQuery): Promise<FoundHits> {
  const started = performance.now()
  const meant = understood(deps, original)
  const { text, ...read } = readQuery(meant)
  const query = { ...meant, q: text }
  const rules = rulesOf({ text, ...read }, deps.analysis)
  const { namespace, requestId } = session
  const { synonymsVersion } = session.facts.namespace
  const synonymsOf = async (q: string) =>
    synonymsVersion === null ? [] : deps.synonymsOf(namespace.id, synonymsVersion, q)
  if (deps.audit.queries.kind === 'text') deps.telemetry.searched(meant.q)
  const { plan, hidden, ...at } = await deps.telemetry.stage('plan', async () => {
    await deps.indexer.ready(namespace.id)
    const planned = planSearch(session, query)
    const [picture, like, synonyms, { models, ...facts }, reached] = await Promise.all([
      query.image ? queryPicture(deps, session, planned, query.image) : null,
      query.similarTo ? likenessOf(deps, session, query.similarTo) : null,
      synonymsOf(text),
      deps.catalog.units.searchFacts(planned.visibility),
      deps.indexer.cursor(namespace.id).catch(() => 0),
    ])
    const { indexSeq, mayBeOutdated } = await deps.indexer.state(namespace.id, reached, facts.seq)
    const mayBeWrong =
      mayBeOutdated || [deps.texts, deps.vectors].some(({ isExact }) => isExact?.(query.filters) === false)
    return {
      ...facts,
      indexSeq,
      mayBeOutdated,
      plan: {
        ...planned,
        ...(like && { query: { ...query, q: like.words } }),
        rules,
        synonyms,
        models,
        picture,
        like,
        mayBeWrong,
      },
    }
  })
  checkQueryVectors(deps, plan)
  const deadlines = createDeadlines(deps.inferenceTimeoutMs)
  const embedding = embeddingIn(deps, deadlines)
  const [first, hiddenByAcl] = await Promise.all([
    rank(embedding, session, plan, deadlines),
    hiddenCount(session, async () => (hidden > 0 ? deps.countHidden(embedding, plan, original, at) : 0)),
  ])
  const { found, weights, hits } = first
  const firstTookMs = performance.now() - started

  const answer = async (): Promise<AnsweredFrom> => {
    const { q: question, topK, maxSteps, agentic, minConfidence } = query
    const stepped = await runSteps(deps, {
      question,
      found: hits,
      tookMs: firstTookMs,
      topK,
      maxSteps: agentic ? maxSteps : 1,
      deadlines,
      // The plan of the first search, so the same planes, scopes, access and filters. The query's picture and vectors were the question's.
      again: async (q) => {
        const step = {
          ...{
            ...plan,
            picture: null,
            like: null,
            rules: { ...rules, preferred: [], name: null, alone: false, isOpen: false },
          },
          query: { ...query, q, vector: {}, facets: [], topK: hitsPerStep },
          synonyms: await synonymsOf(q),
        }
        const { hits, degraded } = await rank(embeddingIn(deps, deadlines), session, step, deadlines)
        return { found: hits, degraded }
      },
    })
    const all = inOrder(stepped.found)
    const context = { hits: all.map(({ hit }) => hit), own: stepped.own, steps: stepped.steps }
    const answered = await answerHits(deps, question, context, deadlines, minConfidence)
    return { ...answered, hits: all, degraded: [...stepped.degraded, ...answered.degraded] }
  }

  return {
    answer: () => deps.telemetry.stage('answer', answer),
    result: (answered) => ({
      hits: (answered?.hits ?? hits).map(cutHit),
      answer: answered?.answer ?? null,
      facets: first.facets,
      hiddenByAcl,
      context: describeContext(session),
      trace: {
        requestId,
        planes: plan.planes,
        clampedPlanes: plan.clampedPlanes,
        query: read,
        legs: found.legs.map((leg) => leg.trace),
        fusion: { method: 'weighted-sum', weights },
        rerank: first.note,
        more: first.more,
        answer: answered?.trace ?? null,
        seq: at.seq,
        indexSeq: at.indexSeq,
        degraded: [...new Set([...first.degraded, ...(answered?.degraded ?? [])])],
        tookMs: performance.now() - started,
      },
    }),
    record: async (answered) => {
      deps.queries.queried(namespace.id, { answer: answered !== null, ms: performance.now() - started })
      await deps.reads.searched(session, { ...meant, planes: plan.planes }, (answered?.hits ?? hits).length, answered)
    },
  }
}

/** The query of an answer: a follow-up as it is meant after earlier turns. A search without an answer stays as it is. */
const understood = ({ analysis }: SearchDeps, query: SearchQuery): SearchQuery =>
  query.answer
    ? {
        ...{ ...query, ...bestHits },
        q: query.history ? inContext(analysis, query.q, query.history) : query.q,
      }
    : query

/** An answer rests on the best hits, which are the first page by score, without groups. */
const bestHits = { offset: 0, groupBy: undefined, sort: [] }

/** Ranks without gaps. Hits of further searches come last, with no higher score: theirs is of another query. */
function inOrder(hits: readonly HighlightedHit[]): HighlightedHit[] {
  let least = 1
  return hits.map(({ hit, passage }, i) => {
    least = Math.min(least, hit.score)
    return { hit: { ...hit, rank: i + 1, score: least }, passage }
  })
}
