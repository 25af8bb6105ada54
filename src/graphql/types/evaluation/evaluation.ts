import type { Evaluation } from '../../../domain/evaluation/evaluate.ts'
import { type EvaluationReport, type EvaluationSummary, metrics, type QueryScores } from '../../../model/evaluation.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import {
  boolean,
  exposed,
  float,
  int,
  list,
  nullable,
  objectType,
  of,
  pageType,
  safeInt,
  string,
} from '../../builder/types.ts'
import { BenchmarkEntryRef, EvalEntryRef } from './benchmark-report.ts'

const ReportRef = objectType<EvaluationReport>('EvaluationReport', 'The results of a run, as aggregates only.', {
  evals: list(EvalEntryRef, 'Quality.'),
  benchmarks: list(BenchmarkEntryRef, 'Speed.'),
  queries: int('Number of queries that ran.'),
  degraded: int('Number of queries during which part of the service failed. If it is not 0, the figures are too low.'),
})

const RunRef = objectType<EvaluationSummary>(
  'EvaluationRun',
  'A run of golden queries by one principal, in several calls.',
  {
    id: string('Send it as `run` to continue.'),
    principalId: string('The principal that runs it. Its access decides what can be found.'),
    scope: nullable(string('The scope that was requested; null for none.')),
    answers: boolean('Whether the run includes answers.'),
    rerank: boolean('Whether the run uses reranking.'),
    total: int('Number of golden queries when the run began.'),
    asked: int('Number of queries that have run.'),
    report: nullable(of(ReportRef, 'The report; null until all queries have run.')),
    startedAt: safeInt('Epoch milliseconds.'),
    finishedAt: nullable(safeInt('When the run finished, in epoch milliseconds; null before.')),
    publishedAt: nullable(safeInt('When its report was last published; null if never.')),
  },
)

const RunPageRef = pageType('EvaluationRunPage', 'runs', RunRef, {
  page: "A page of a namespace's runs.",
  items: 'Newest first.',
})

interface MetricValue {
  metric: string
  value: number
}

const MetricValueRef = objectType<MetricValue>('MetricValue', 'A metric of one query.', {
  metric: string('The name of the metric, as in reports.'),
  value: float('0..1.'),
})

const QueryScoresRef = builder.objectRef<QueryScores>('QueryScores').implement({
  description: 'The scores of one golden query.',
  fields: (t) => ({
    ...exposed<QueryScores>(t, {
      goldenQueryId: string('The id of the golden query.'),
      degraded: boolean('Whether part of the service failed meanwhile.'),
    }),
    values: t.field({
      type: [MetricValueRef],
      description: 'The metrics that apply to the query.',
      resolve: ({ values }) =>
        metrics.flatMap((metric): MetricValue[] => {
          const value = values[metric]
          return value === undefined ? [] : [{ metric, value }]
        }),
    }),
  }),
})

const EvaluationRef = objectType<Evaluation>('Evaluation', 'The state of a run.', {
  run: of(RunRef, 'The run.'),
  scores: list(QueryScoresRef, 'Scores of the queries that this call ran.'),
})

pages('evaluationRuns', RunPageRef, (range, services) => services.evaluations.list(range))

runs('evaluate', EvaluationRef, (args, services) => services.evaluations.run(args))
