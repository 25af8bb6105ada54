import type { Session } from '../../model/session.ts'
import type { Turns } from '../turns/turns.ts'
import { heavy, weightOfQuery } from '../turns/weights.ts'
import { searchAs, unitsAs, type ViewAsDeps } from './view-as.ts'
import type { SearchAsInput, UnitsAsInput } from './view-as-input.ts'

export const createViewAs = (deps: ViewAsDeps & { turns: Turns }) => (session: Session) => ({
  search: (asked: SearchAsInput) =>
    deps.turns.answering(session, weightOfQuery(asked.input), () => searchAs(deps, session, asked)),
  units: (asked: UnitsAsInput) => deps.turns.answering(session, heavy, () => unitsAs(deps, session, asked)),
})
