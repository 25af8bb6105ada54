import type { Evaluation } from '../../../domain/evaluation/evaluate.ts'
import { type EvaluationReport, type EvaluationSummary, metrics, type QueryScores } from '../../../model/evaluation.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import { pageType } from '../../builder/types.ts'
import { BenchmarkEntryRef, EvalEntryRef } from './benchmark-report.ts'

const ReportRef = builder.objectRef<EvaluationReport>('EvaluationReport').implement({
  description: 'The results of a run, as aggregates only.',
  fields: (t) => ({
    evals: t.expose('evals', { type: [EvalEntryRef], description: 'Quality.' }),
    benchmarks: t.expose('benchmarks', { type: [BenchmarkEntryRef], description: 'Speed.' }),
    queries: t.exposeInt('queries', { description: 'Number of queries that ran.' }),
    degraded: t.exposeInt('degraded', {
      description:
        'Number of queries during which part of the service failed. If it is not 0, the figures are too low.',
    }),
  }),
})

const RunRef = builder.objectRef<EvaluationSummary>('EvaluationRun').implement({
  description: 'A run of golden queries by one principal, in several calls.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Send it as `run` to continue.' }),
    principalId: t.exposeString('principalId', {
      description: 'The principal that runs it. Its access decides what can be found.',
    }),
    scope: t.exposeString('scope', { nullable: true, description: 'The scope that was requested; null for none.' }),
    answers: t.exposeBoolean('answers', { description: 'Whether the run includes answers.' }),
    rerank: t.exposeBoolean('rerank', { description: 'Whether the run uses reranking.' }),
    total: t.exposeInt('total', { description: 'Number of golden queries when the run began.' }),
    asked: t.exposeInt('asked', { description: 'Number of queries that have run.' }),
    report: t.expose('report', {
      type: ReportRef,
      nullable: true,
      description: 'The report; null until all queries have run.',
    }),
    startedAt: t.expose('startedAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'When the run finished, in epoch milliseconds; null before.',
    }),
    publishedAt: t.expose('publishedAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'When its report was last published; null if never.',
    }),
  }),
})

const RunPageRef = pageType('EvaluationRunPage', 'runs', RunRef, {
  page: "A page of a namespace's runs.",
  items: 'Newest first.',
})

interface MetricValue {
  metric: string
  value: number
}

const MetricValueRef = builder.objectRef<MetricValue>('MetricValue').implement({
  description: 'A metric of one query.',
  fields: (t) => ({
    metric: t.exposeString('metric', { description: 'The name of the metric, as in reports.' }),
    value: t.exposeFloat('value', { description: '0..1.' }),
  }),
})

const QueryScoresRef = builder.objectRef<QueryScores>('QueryScores').implement({
  description: 'The scores of one golden query.',
  fields: (t) => ({
    goldenQueryId: t.exposeString('goldenQueryId', { description: 'The id of the golden query.' }),
    values: t.field({
      type: [MetricValueRef],
      description: 'The metrics that apply to the query.',
      resolve: ({ values }) =>
        metrics.flatMap((metric): MetricValue[] => {
          const value = values[metric]
          return value === undefined ? [] : [{ metric, value }]
        }),
    }),
    degraded: t.exposeBoolean('degraded', { description: 'Whether part of the service failed meanwhile.' }),
  }),
})

const EvaluationRef = builder.objectRef<Evaluation>('Evaluation').implement({
  description: 'The state of a run.',
  fields: (t) => ({
    run: t.expose('run', { type: RunRef, description: 'The run.' }),
    scores: t.expose('scores', { type: [QueryScoresRef], description: 'Scores of the queries that this call ran.' }),
  }),
})

builder.queryField('evaluationRuns', (t) =>
  t.field({
    type: RunPageRef,
    ...pages('evaluationRuns', (range, services) => services.evaluations.list(range)),
  }),
)

builder.mutationField('evaluate', (t) =>
  t.field({
    type: EvaluationRef,
    ...runs('evaluate', (args, services) => services.evaluations.run(args)),
  }),
)
