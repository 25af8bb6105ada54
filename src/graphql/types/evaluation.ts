import { type GoldenQuery, metrics, type QueryScores } from '../../model/evaluation.ts'
import { builder } from '../builder/builder.ts'
import { pages, runs } from '../builder/root-fields.ts'
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
  strings,
} from '../builder/types.ts'

const EvalEntryRef = objectType('EvalEntry', 'A quality metric over golden queries, 0..1.', {
  metric: string(
    '`ndcg@10`, `recall@50`, `mrr@50` of searches; of answers `answered` (the share without abstentions), `citation_precision` (the share of citations whose Unit is expected), `faithfulness` (the mean of `nliFaithfulness`) and `answer_recall` (the share of the words of the best expected answer that the answer holds).',
  ),
  mean: float('Mean over the queries.'),
  low: float('Lower end of the 95 % bootstrap interval of the mean.'),
  high: float('Upper end of the interval.'),
  queries: int('Number of queries that have this metric. For example, an abstention has no citations.'),
})

const BenchmarkEntryRef = objectType(
  'BenchmarkEntry',
  'How long the service took to answer golden queries, without network time.',
  {
    operation: string('`search` (the best 50) or `answer` (from the best 10).'),
    p50Ms: float('The median, in milliseconds.'),
    p95Ms: float('The 95th percentile, in milliseconds.'),
    queries: int('Number of queries.'),
  },
)

const BenchmarkReportRef = objectType(
  'BenchmarkReport',
  'A published report. It has aggregates only, no texts or ids.',
  {
    benchmarks: list(BenchmarkEntryRef, 'Speed.'),
    evals: list(EvalEntryRef, 'Quality.'),
    generatedAt: string('ISO 8601; the current time if nothing was published.'),
  },
)

runs('benchmarkReport', BenchmarkReportRef, (_, services) => services.publishedReport())

runs('publishReport', BenchmarkReportRef, (args, services) => services.evaluations.publish(args))

const ReportRef = objectType('EvaluationReport', 'The results of a run, as aggregates only.', {
  evals: list(EvalEntryRef, 'Quality.'),
  benchmarks: list(BenchmarkEntryRef, 'Speed.'),
  queries: int('Number of queries that ran.'),
  degraded: int('Number of queries during which part of the service failed. If it is not 0, the figures are too low.'),
})

const RunRef = objectType('EvaluationRun', 'A run of golden queries by one principal, in several calls.', {
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
})

const RunPageRef = pageType('EvaluationRunPage', 'runs', RunRef, {
  page: "A page of a namespace's runs.",
  items: 'Newest first.',
})

const MetricValueRef = objectType('MetricValue', 'A metric of one query.', {
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
        metrics.flatMap((metric) => {
          const value = values[metric]
          return value === undefined ? [] : [{ metric, value }]
        }),
    }),
  }),
})

const EvaluationRef = objectType('Evaluation', 'The state of a run.', {
  run: of(RunRef, 'The run.'),
  scores: list(QueryScoresRef, 'Scores of the queries that this call ran.'),
})

pages('evaluationRuns', RunPageRef, (range, services) => services.evaluations.list(range))

runs('evaluate', EvaluationRef, (args, services) => services.evaluations.run(args))

const GoldenQueryRef = builder.objectRef<GoldenQuery>('GoldenQuery').implement({
  description: 'A query with known right results.',
  fields: (t) => ({
    ...exposed<GoldenQuery>(t, {
      id: string('The id, derived from `q` and `scope`.'),
      q: string('The query.'),
      scope: nullable(
        string('The scope to search, unless the run requests one; null for the default scope of the principal.'),
      ),
      createdAt: safeInt('Epoch milliseconds.'),
    }),
    expectedUnitIds: t.stringList({
      description: 'Units that it should find.',
      resolve: ({ expected }) => [...expected.unitIds],
    }),
    expectedExternalIds: t.stringList({
      description: 'External ids of the Units that it should find.',
      resolve: ({ expected }) => [...expected.externalIds],
    }),
    expectedAnswers: t.stringList({
      description: 'Expected answers. An answer should contain one of them.',
      resolve: ({ expected }) => [...expected.answers],
    }),
  }),
})

const GoldenQueryPageRef = pageType('GoldenQueryPage', 'queries', GoldenQueryRef, {
  page: "A page of a namespace's golden queries.",
  items: 'Oldest first.',
})

const GoldenQueryChangeRef = objectType('GoldenQueryChange', 'Golden queries that were written.', {
  ids: strings('The ids, in the order of the input.'),
  created: int('Number of new queries.'),
  updated: int('Number of existing queries that were replaced.'),
})

const GoldenQueryDeletionRef = objectType('GoldenQueryDeletion', 'Deleted golden queries.', {
  deleted: int('Number of queries.'),
})

pages('goldenQueries', GoldenQueryPageRef, (range, services) => services.goldenQueries.list(range))

runs('createGoldenQueries', GoldenQueryChangeRef, (args, services) => services.goldenQueries.create(args))

runs('deleteGoldenQueries', GoldenQueryDeletionRef, ({ ids }, services) => services.goldenQueries.delete(ids))
