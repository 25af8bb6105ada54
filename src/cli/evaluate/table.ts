import type { Report } from './run.ts'

/** A report for the terminal. */
export function table({ evals, benchmarks, queries, degraded }: Report): string {
  const quality = evals.map((entry) => [
    entry.metric,
    entry.mean.toFixed(3),
    `[${entry.low.toFixed(3)}, ${entry.high.toFixed(3)}]`,
    `${entry.queries}`,
  ])
  const speed = benchmarks.map((entry) => [
    entry.operation,
    `${entry.p50Ms.toFixed(1)} ms`,
    `${entry.p95Ms.toFixed(1)} ms`,
    `${entry.queries}`,
  ])
  return [
    ...(evals.length === 0 ? [] : [aligned([['metric', 'mean', '95 % interval', 'queries'], ...quality])]),
    ...(benchmarks.length === 0 ? [] : [aligned([['operation', 'p50', 'p95', 'queries'], ...speed])]),
    `${queries} queries${degraded === 0 ? '' : `; part of the service failed during ${degraded} of them: the figures are too low`}`,
  ].join('\n\n')
}

/** Aligns numbers right and names left. */
export function aligned(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .join('\n')
}

/** Metrics below their minimum, or not measured. */
export function shortfalls({ evals }: Report, minima: ReadonlyMap<string, number>): string[] {
  const means = new Map(evals.map(({ metric, mean }) => [metric, mean]))
  return [...minima].flatMap(([metric, minimum]) => {
    const mean = means.get(metric)
    if (mean === undefined) return [`${metric} was not measured`]
    return mean < minimum ? [`${metric} is ${mean.toFixed(3)}, below ${minimum}`] : []
  })
}
