import type { Evaluation } from '../../../domain/evaluation/evaluate.ts'
import { evaluateInput } from '../../../domain/evaluation/evaluation-input.ts'
import { type EvaluationReport, type EvaluationSummary, metrics, type QueryScores } from '../../../model/evaluation.ts'
import { builder, checked } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { checkedPage, pageArgs, pageType } from '../../builder/pages.ts'
import { BenchmarkEntryRef, EvalEntryRef } from './benchmark-report.ts'

const ReportRef = builder.objectRef<EvaluationReport>('EvaluationReport').implement({
  description: 'What a run found: aggregates alone.',
  fields: (t) => ({
    evals: t.expose('evals', { type: [EvalEntryRef], description: 'Quality.' }),
    benchmarks: t.expose('benchmarks', { type: [BenchmarkEntryRef], description: 'Speed.' }),
    queries: t.exposeInt('queries', { description: 'How many were asked.' }),
    degraded: t.exposeInt('degraded', {
      description: 'During how many of them part of the service failed: with any, the figures are too low.',
    }),
  }),
})

const RunRef = builder.objectRef<EvaluationSummary>('EvaluationRun').implement({
  description: 'Golden queries asked by one principal, some at a time.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Send it back as `run` to go on.' }),
    principalId: t.exposeString('principalId', { description: 'Who asks, and so what can be found.' }),
    scope: t.exposeString('scope', { nullable: true, description: 'The scope that was requested; null for none.' }),
    answers: t.exposeBoolean('answers', { description: 'Whether answers are asked for.' }),
    rerank: t.exposeBoolean('rerank', { description: 'Whether reranking is asked for.' }),
    total: t.exposeInt('total', { description: 'Golden queries when it began.' }),
    asked: t.exposeInt('asked', { description: 'How many of them were asked so far.' }),
    report: t.expose('report', { type: ReportRef, nullable: true, description: 'Null until all were asked.' }),
    startedAt: t.expose('startedAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
    finishedAt: t.expose('finishedAt', { type: 'SafeInt', nullable: true, description: 'The same; null until then.' }),
    publishedAt: t.expose('publishedAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'When its report was published last; null if it was not.',
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
    metric: t.exposeString('metric', { description: 'As in reports.' }),
    value: t.exposeFloat('value', { description: '0..1.' }),
  }),
})

const QueryScoresRef = builder.objectRef<QueryScores>('QueryScores').implement({
  description: 'How well the service did on one golden query.',
  fields: (t) => ({
    goldenQueryId: t.exposeString('goldenQueryId', { description: 'Of the query.' }),
    values: t.field({
      type: [MetricValueRef],
      description: 'Without the metrics that the query says nothing about.',
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
  description: 'Where a run stands.',
  fields: (t) => ({
    run: t.expose('run', { type: RunRef, description: 'The run.' }),
    scores: t.expose('scores', { type: [QueryScoresRef], description: 'Of the queries that this call asked.' }),
  }),
})

builder.queryField('evaluationRuns', (t) =>
  t.field({
    type: RunPageRef,
    description:
      'The runs of the namespace, newest first: the last 100, and older ones whose report is published. Needs an admin principal.',
    args: pageArgs('Offset from the newest.'),
    ...checkedPage((context, range) => servicesOf(context).evaluations.list(range)),
  }),
)

builder.mutationField('evaluate', (t) =>
  t.field({
    type: EvaluationRef,
    description:
      'Asks golden queries as the caller, whose scopes and access control decide what can be found. The first call begins a run; the next ones go on with it, some queries at a time, until its `report` is there. A run that broke off goes on where it stood. Needs an admin principal who may read.',
    args: {
      run: t.arg.string({ description: "The run to go on with, one of the caller's own; a new one begins without." }),
      answers: t.arg.boolean({
        description: 'At the beginning: ask for answers, too. Default: where the tier offers them.',
      }),
      rerank: t.arg.boolean({ description: 'At the beginning: ask for reranking, which is not done otherwise.' }),
      limit: t.arg.int({
        description: 'How many queries to ask. Fewer are asked when they take more than 5 s.',
      }),
    },
    ...checked(evaluateInput, (args, context) => servicesOf(context).evaluations.run(args)),
  }),
)
