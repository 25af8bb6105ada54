import type { SearchQuery } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import type { Turns } from '../turns/turns.ts'
import { weightOfQuery } from '../turns/weights.ts'
import { answer, search } from './search.ts'

type Deps = Parameters<typeof search>[0] & { turns: Turns }

export const createSearch = (deps: Deps) => (session: Session) => ({
  search: (query: SearchQuery) => deps.turns.reading(session, weightOfQuery(query), () => search(deps, session, query)),
  answer: (query: SearchQuery) => deps.turns.reading(session, weightOfQuery(query), () => answer(deps, session, query)),
})
