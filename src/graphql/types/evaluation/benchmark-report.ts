import type { BenchmarkReport } from '../../../domain/evaluation/published-report.ts'
import type { BenchmarkEntry, EvalEntry } from '../../../model/evaluation.ts'
import { runs } from '../../builder/root-fields.ts'
import { float, int, list, objectType, string } from '../../builder/types.ts'

export const EvalEntryRef = objectType<EvalEntry>('EvalEntry', 'A quality metric over golden queries, 0..1.', {
  metric: string(
    '`ndcg@10`, `recall@50`, `mrr@50` of searches; of answers `answered` (the share without abstentions), `citation_precision` (the share of citations whose Unit is expected), `faithfulness` (the mean of `nliFaithfulness`) and `answer_recall` (the share of the words of the best expected answer that the answer holds).',
  ),
  mean: float('Mean over the queries.'),
  low: float('Lower end of the 95 % bootstrap interval of the mean.'),
  high: float('Upper end of the interval.'),
  queries: int('Number of queries that have this metric. For example, an abstention has no citations.'),
})

export const BenchmarkEntryRef = objectType<BenchmarkEntry>(
  'BenchmarkEntry',
  'How long the service took to answer golden queries, without network time.',
  {
    operation: string('`search` (the best 50) or `answer` (from the best 10).'),
    p50Ms: float('The median, in milliseconds.'),
    p95Ms: float('The 95th percentile, in milliseconds.'),
    queries: int('Number of queries.'),
  },
)

const BenchmarkReportRef = objectType<BenchmarkReport>(
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
