import { publishInput } from '../../../domain/evaluation/evaluation-input.ts'
import type { BenchmarkReport } from '../../../domain/evaluation/published-report.ts'
import type { BenchmarkEntry, EvalEntry } from '../../../model/evaluation.ts'
import { builder, checked } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'

export const EvalEntryRef = builder.objectRef<EvalEntry>('EvalEntry').implement({
  description: 'A quality metric over golden queries, each 0..1.',
  fields: (t) => ({
    metric: t.exposeString('metric', {
      description:
        '`ndcg@10`, `recall@50`, `mrr@50` of searches; of answers `answered` (the share that is none of the abstentions), `citation_precision` (the share of citations whose Unit is expected), `faithfulness` (the mean of `nliFaithfulness`) and `answer_recall` (the share of the words of the best expected answer that the answer holds).',
    }),
    mean: t.exposeFloat('mean', { description: 'Over the queries.' }),
    low: t.exposeFloat('low', { description: 'Lower end of the 95 % bootstrap interval of the mean.' }),
    high: t.exposeFloat('high', { description: 'Upper end of it.' }),
    queries: t.exposeInt('queries', {
      description: 'How many queries it is about: an abstention cites nothing, not every query expects Units.',
    }),
  }),
})

export const BenchmarkEntryRef = builder.objectRef<BenchmarkEntry>('BenchmarkEntry').implement({
  description: 'How long the service took over golden queries, without the way to it.',
  fields: (t) => ({
    operation: t.exposeString('operation', { description: '`search` (the best 50) or `answer` (from the best 10).' }),
    p50Ms: t.exposeFloat('p50Ms', { description: 'Half of them took at most so many milliseconds.' }),
    p95Ms: t.exposeFloat('p95Ms', { description: '95 % of them did.' }),
    queries: t.exposeInt('queries', { description: 'How many there were.' }),
  }),
})

const BenchmarkReportRef = builder.objectRef<BenchmarkReport>('BenchmarkReport').implement({
  description: 'A published report: aggregates, never texts or ids.',
  fields: (t) => ({
    benchmarks: t.expose('benchmarks', { type: [BenchmarkEntryRef], description: 'Speed.' }),
    evals: t.expose('evals', { type: [EvalEntryRef], description: 'Quality.' }),
    generatedAt: t.exposeString('generatedAt', { description: 'ISO 8601; now when nothing was published.' }),
  }),
})

builder.queryField('benchmarkReport', (t) =>
  t.field({
    type: BenchmarkReportRef,
    description:
      "The report that the namespace published last, else the service's own, else an empty one. Everyone in the namespace may read it.",
    resolve: (_, __, context) => servicesOf(context).publishedReport(),
  }),
)

builder.mutationField('publishReport', (t) =>
  t.field({
    type: BenchmarkReportRef,
    description: 'Publishes the report of a finished run in the namespace. Needs an admin principal.',
    args: {
      run: t.arg.string({ required: true, description: 'The id of the run.' }),
      serviceWide: t.arg.boolean({
        description: 'In all namespaces that have published none; for the super-admin alone.',
      }),
    },
    ...checked(publishInput, (args, context) => servicesOf(context).evaluations.publish(args)),
  }),
)
