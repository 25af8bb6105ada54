import type { Session } from '../../model/session.ts'
import { heavy, type Turns, weightOfQuery } from '../turns/turns.ts'
import { searchAs, unitsAs, type ViewAsDeps } from './view-as.ts'
import type { SearchAsInput, UnitsAsInput } from './view-as-input.ts'

export const createViewAs = (deps: ViewAsDeps & { turns: Turns }) => (session: Session) => ({
  search: (asked: SearchAsInput) =>
    deps.turns.answering(session, weightOfQuery(asked.input), () => searchAs(deps, session, asked)),
  units: (asked: UnitsAsInput) => deps.turns.answering(session, heavy, () => unitsAs(deps, session, asked)),
})
