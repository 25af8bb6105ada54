import type { SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { answerFound } from './answer-found.ts'
import { admitSearch, find, type SearchAnswer, type SearchDeps } from './find.ts'

/**
 * Hybrid search. Errors: 400 for vectors of the wrong length, 403 without `read`, 402 for an answer that the tier does
 * not offer.
 */
export const search = (deps: SearchDeps, session: Session, query: SearchQuery): Promise<SearchAnswer> =>
  run(deps, session, 'search', query)

/** The same, always with an answer. */
export const answer = (deps: SearchDeps, session: Session, query: SearchQuery): Promise<SearchAnswer> =>
  run(deps, session, 'answer', query)

async function run(
  deps: SearchDeps,
  session: Session,
  operation: 'search' | 'answer',
  query: SearchQuery,
): Promise<SearchAnswer> {
  const found = await find(deps, admitSearch(session, operation, query), query)
  const answered = query.answer ? await answerFound(deps, found) : null
  await found.record(answered)
  return found.result(answered)
}
