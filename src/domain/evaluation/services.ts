import type { PageRange } from '../../model/page.ts'
import type { Session } from '../../model/session.ts'
import { capacity, type Turns } from '../turns/turns.ts'
import { evaluate, listEvaluations } from './evaluate.ts'
import type { EvaluateInput, GoldenInput, PublishInput } from './evaluation-input.ts'
import { createGoldenQueries, deleteGoldenQueries, listGoldenQueries } from './golden-queries.ts'
import { publishedReport, publishReport } from './published-report.ts'

type Deps = Parameters<typeof evaluate>[0] & { turns: Turns }

export const createEvaluation = (deps: Deps) => (session: Session) => ({
  goldenQueries: {
    list: (range?: PageRange) => listGoldenQueries(deps, session, range),
    create: (input: GoldenInput) => createGoldenQueries(deps, session, input),
    delete: (ids: readonly string[]) => deleteGoldenQueries(deps, session, ids),
  },
  evaluations: {
    list: (range?: PageRange) => listEvaluations(deps, session, range),
    run: (input: EvaluateInput) => deps.turns.reading(session, capacity, () => evaluate(deps, session, input)),
    publish: (input: PublishInput) => publishReport(deps, session, input),
  },
  publishedReport: () => publishedReport(deps, session),
})
