import type { SearchQuery } from '../../model/search.ts'
import { answerHits } from '../answer/answer-hits.ts'
import { inContext } from '../answer/follow-up.ts'
import { runSteps } from '../answer/run-steps.ts'
import type { AnsweredFrom, Found, SearchDeps } from './find.ts'
import type { HighlightedHit } from './highlight-hits.ts'

/** Answers from the hits, and from those of further searches if the caller allows them. */
export const answerFound = (deps: SearchDeps, query: SearchQuery, found: Found): Promise<AnsweredFrom> =>
  deps.telemetry.stage('answer', () => answerInSteps(deps, query, found))

/** The query of a follow-up as it is meant after earlier turns; a search without an answer stays as it is. */
export const understood = ({ analysis }: Pick<SearchDeps, 'analysis'>, query: SearchQuery): SearchQuery =>
  query.answer && query.history ? { ...query, q: inContext(analysis, query.q, query.history) } : query

async function answerInSteps(
  deps: SearchDeps,
  { q: question, topK, maxSteps, agentic, minConfidence }: SearchQuery,
  { hits: first, deadlines, search }: Found,
): Promise<AnsweredFrom> {
  const limits = { question, topK, deadlines, maxSteps: agentic ? maxSteps : 1 }
  const stepped = await runSteps(deps, { ...search, ...limits, found: first })
  const hits = inOrder(stepped.found)
  const context = { hits: hits.map(({ hit }) => hit), own: stepped.own, steps: stepped.steps }
  const answered = await answerHits(deps, question, context, deadlines, minConfidence)
  return { ...answered, hits, degraded: [...stepped.degraded, ...answered.degraded] }
}

/** Ranks without gaps. Hits of further searches come last, with no higher score: theirs is of another query. */
function inOrder(hits: readonly HighlightedHit[]): HighlightedHit[] {
  let least = 1
  return hits.map(({ hit, passage }, i) => {
    least = Math.min(least, hit.score)
    return { hit: { ...hit, rank: i + 1, score: least }, passage }
  })
}
