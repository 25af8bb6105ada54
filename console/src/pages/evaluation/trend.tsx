import { Plot } from '../../components/plot.tsx'
import type { EvaluationRunFragment } from './generated/graphql.ts'

const shown = [
  { metric: 'ndcg@10', className: 'text-accent' },
  { metric: 'recall@50', className: 'text-ok' },
  { metric: 'mrr@50', className: 'text-plane-visual' },
  { metric: 'faithfulness', className: 'text-warn' },
]

/** How the means moved from run to run, the oldest on the left, with their intervals. */
export function Trend({ runs }: { runs: readonly EvaluationRunFragment[] }) {
  const finished = runs.filter(({ report }) => report).toReversed()
  if (finished.length < 2) return null
  const labels = finished.map(({ startedAt }) =>
    new Date(startedAt).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' }),
  )
  const plots = shown.map((one) => ({ ...one, entries: finished.map((run) => entryOf(run, one.metric)) }))
  return (
    <section aria-label="Trends" className="grid gap-3 broad:grid-cols-2">
      {plots
        .filter(({ entries }) => entries.some((entry) => entry !== null))
        .map(({ metric, className, entries }) => (
          <Plot
            key={metric}
            title={`${metric} by run`}
            kind="lines"
            labels={labels}
            format={(value) => value.toFixed(3)}
            series={[
              {
                name: metric,
                className,
                values: entries.map((entry) => entry?.mean ?? null),
                intervals: entries.map((entry) => entry && [entry.low, entry.high]),
              },
            ]}
          />
        ))}
    </section>
  )
}

const entryOf = ({ report }: EvaluationRunFragment, metric: string) =>
  report?.evals.find((one) => one.metric === metric) ?? null
