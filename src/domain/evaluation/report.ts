import {
  type BenchmarkEntry,
  type EvalEntry,
  type EvaluationReport,
  metrics,
  type QueryScores,
} from '../../model/evaluation.ts'
import { bootstrap } from './bootstrap.ts'
import { mean, percentile } from './metrics.ts'

/** Aggregates of a run: the same scores always give the same report. */
export function reportOf(scores: readonly QueryScores[]): EvaluationReport {
  const evals = metrics.flatMap((metric): EvalEntry[] => {
    const values = scores.flatMap(({ values }) => values[metric] ?? [])
    return values.length === 0 ? [] : [{ metric, mean: mean(values), ...bootstrap([values]), queries: values.length }]
  })
  return {
    evals,
    benchmarks: [
      ...benchmark(
        'search',
        scores.map(({ searchMs }) => searchMs),
      ),
      ...benchmark(
        'answer',
        scores.flatMap(({ answerMs }) => answerMs ?? []),
      ),
    ],
    queries: scores.length,
    degraded: scores.filter(({ degraded }) => degraded).length,
  }
}

function benchmark(operation: BenchmarkEntry['operation'], times: readonly number[]): BenchmarkEntry[] {
  if (times.length === 0) return []
  return [{ operation, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95), queries: times.length }]
}
