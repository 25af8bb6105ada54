import type { BenchmarkReport } from '../../../domain/evaluation/published-report.ts'
import type { BenchmarkEntry, EvalEntry } from '../../../model/evaluation.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'

export const EvalEntryRef = builder.objectRef<EvalEntry>('EvalEntry').implement({
  description: 'A quality metric over golden queries, 0..1.',
  fields: (t) => ({
    metric: t.exposeString('metric', {
      description:
        '`ndcg@10`, `recall@50`, `mrr@50` of searches; of answers `answered` (the share without abstentions), `citation_precision` (the share of citations whose Unit is expected), `faithfulness` (the mean of `nliFaithfulness`) and `answer_recall` (the share of the words of the best expected answer that the answer holds).',
    }),
    mean: t.exposeFloat('mean', { description: 'Mean over the queries.' }),
    low: t.exposeFloat('low', { description: 'Lower end of the 95 % bootstrap interval of the mean.' }),
    high: t.exposeFloat('high', { description: 'Upper end of the interval.' }),
    queries: t.exposeInt('queries', {
      description: 'Number of queries that have this metric. For example, an abstention has no citations.',
    }),
  }),
})

export const BenchmarkEntryRef = builder.objectRef<BenchmarkEntry>('BenchmarkEntry').implement({
  description: 'How long the service took to answer golden queries, without network time.',
  fields: (t) => ({
    operation: t.exposeString('operation', { description: '`search` (the best 50) or `answer` (from the best 10).' }),
    p50Ms: t.exposeFloat('p50Ms', { description: 'The median, in milliseconds.' }),
    p95Ms: t.exposeFloat('p95Ms', { description: 'The 95th percentile, in milliseconds.' }),
    queries: t.exposeInt('queries', { description: 'Number of queries.' }),
  }),
})

const BenchmarkReportRef = builder.objectRef<BenchmarkReport>('BenchmarkReport').implement({
  description: 'A published report. It has aggregates only, no texts or ids.',
  fields: (t) => ({
    benchmarks: t.expose('benchmarks', { type: [BenchmarkEntryRef], description: 'Speed.' }),
    evals: t.expose('evals', { type: [EvalEntryRef], description: 'Quality.' }),
    generatedAt: t.exposeString('generatedAt', { description: 'ISO 8601; the current time if nothing was published.' }),
  }),
})

builder.queryField('benchmarkReport', (t) =>
  t.field({
    type: BenchmarkReportRef,
    ...runs('benchmarkReport', (_, services) => services.publishedReport()),
  }),
)

builder.mutationField('publishReport', (t) =>
  t.field({
    type: BenchmarkReportRef,
    ...runs('publishReport', (args, services) => services.evaluations.publish(args)),
  }),
)
