import type { EvaluationRunFragment } from './generated/graphql.ts'

const shown = ['ndcg@10', 'recall@50', 'mrr@50', 'faithfulness']
const [width, height] = [160, 40]

/** How the means moved from run to run, the oldest on the left. The figures stand in the table of runs. */
export function Trend({ runs }: { runs: readonly EvaluationRunFragment[] }) {
  const finished = runs.filter(({ report }) => report).toReversed()
  if (finished.length < 2) return null
  return (
    <section aria-label="Trends" className="grid grid-cols-2 gap-3 wide:grid-cols-4">
      {shown.map((metric) => (
        <Line key={metric} metric={metric} values={finished.flatMap((run) => meanOf(run, metric))} />
      ))}
    </section>
  )
}

function Line({ metric, values }: { metric: string; values: readonly number[] }) {
  const [first, last] = [values[0], values.at(-1)]
  if (first === undefined || last === undefined || values.length < 2) return null
  const points = values.map((value, i) => `${(i / (values.length - 1)) * width},${(1 - value) * height}`)
  const name = `${metric}: ${first.toFixed(3)} to ${last.toFixed(3)} over ${values.length} runs`
  return (
    <figure className="rounded-surface border border-line bg-surface p-3">
      <figcaption className="flex justify-between text-small text-muted">
        <span>{metric}</span>
        <span>{last.toFixed(3)}</span>
      </figcaption>
      <svg
        role="img"
        aria-label={name}
        viewBox={`0 -2 ${width} ${height + 4}`}
        preserveAspectRatio="none"
        className="h-10 w-full"
      >
        <polyline
          points={points.join(' ')}
          fill="none"
          stroke="var(--accent)"
          strokeWidth="2"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </figure>
  )
}

const meanOf = ({ report }: EvaluationRunFragment, metric: string): number[] => {
  const entry = report?.evals.find((one) => one.metric === metric)
  return entry ? [entry.mean] : []
}
