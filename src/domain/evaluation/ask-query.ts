import { depths, type EvaluationSettings, type GoldenQuery, type QueryScores } from '../../model/evaluation.ts'
import type { Session } from '../../model/session.ts'
import { parse } from '../input/parse.ts'
import { search } from '../search/search.ts'
import { answerInput, searchInput } from '../search/search-input.ts'
import type { EvaluateInput } from './evaluation-input.ts'
import { scoreAnswer, scoreRanking } from './score-query.ts'

type Deps = Parameters<typeof search>[0]

/** Runs one golden query as the session and scores the result: a deep search, and an answer as callers get it. */
export async function askQuery(
  deps: Deps,
  session: Session,
  { id, q, scope, expected }: GoldenQuery,
  { answers, rerank, vectorWeight }: EvaluationSettings & Pick<EvaluateInput, 'vectorWeight'>,
): Promise<QueryScores> {
  const query = { q, rerank, vectorWeight, ...(scope !== null && { scope }) }
  const found = await search(deps, session, parse(searchInput, { ...query, topK: depths.recall }))
  const answered = answers ? await search(deps, session, parse(answerInput, query), 'answer') : null
  const isDegraded = [found, answered].some((result) => (result?.trace.degraded.length ?? 0) > 0)
  return {
    goldenQueryId: id,
    values: {
      ...scoreRanking(expected, found.hits),
      ...(answered?.answer && scoreAnswer(expected, answered.answer, answered.hits)),
    },
    searchMs: found.trace.tookMs,
    answerMs: answered?.trace.tookMs ?? null,
    degraded: isDegraded,
  }
}
