import type { SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { weightOfQuery } from '../turns/turns.ts'
import { answer, search } from './search.ts'
import { type StreamDeps, streamAnswer } from './stream-answer.ts'

type Deps = StreamDeps

export const createSearch = (deps: Deps) => (session: Session) => ({
  search: (query: SearchQuery) =>
    deps.turns.answering(session, weightOfQuery(query), () => search(deps, session, query)),
  answer: (query: SearchQuery) =>
    deps.turns.answering(session, weightOfQuery(query), () => answer(deps, session, query)),
  streamAnswer: (query: SearchQuery) => streamAnswer(deps, session, query),
})
