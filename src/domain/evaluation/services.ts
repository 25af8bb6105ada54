import type { Session } from '../../model/session.ts'
import type { PageInput } from '../input/page.ts'
import type { Turns } from '../turns/turns.ts'
import { capacity } from '../turns/weights.ts'
import { evaluate, listEvaluations } from './evaluate.ts'
import type { EvaluateInput, GoldenInput, PublishInput } from './evaluation-input.ts'
import { createGoldenQueries, deleteGoldenQueries, listGoldenQueries } from './golden-queries.ts'
import { publishedReport, publishReport } from './published-report.ts'

type Deps = Parameters<typeof evaluate>[0] & { turns: Turns }

export const createEvaluation = (deps: Deps) => (session: Session) => ({
  goldenQueries: {
    list: (page: PageInput) => listGoldenQueries(deps, session, page),
    create: (input: GoldenInput) => createGoldenQueries(deps, session, input),
    delete: (ids: readonly string[]) => deleteGoldenQueries(deps, session, ids),
  },
  evaluations: {
    list: () => listEvaluations(deps, session),
    run: (input: EvaluateInput) => deps.turns.reading(session, capacity, () => evaluate(deps, session, input)),
    publish: (input: PublishInput) => publishReport(deps, session, input),
  },
  publishedReport: () => publishedReport(deps, session),
})
