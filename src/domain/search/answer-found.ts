import { answerHits } from '../answer/answer-hits.ts'
import { runSteps } from '../answer/run-steps.ts'
import type { AnsweredFrom, Found, SearchDeps } from './find.ts'
import type { HighlightedHit } from './highlight-hits.ts'

/** Answers from the hits, and from those of further searches if the caller allows them. */
export const answerFound = (deps: SearchDeps, found: Found): Promise<AnsweredFrom> =>
  deps.telemetry.stage('answer', () => answerInSteps(deps, found))

async function answerInSteps(
  deps: SearchDeps,
  { query, hits: first, deadlines, search }: Found,
): Promise<AnsweredFrom> {
  const { q: question, topK, maxSteps, agentic, minConfidence } = query
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
