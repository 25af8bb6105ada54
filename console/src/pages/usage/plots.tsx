import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Plot } from '../../components/plot.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { durationText, planeColours, planeText, sizeText } from '../../components/words.ts'
import { useGraphql } from '../../graphql/hooks.ts'
import { useUrl } from '../../session/url.ts'
import { UsageOverTimeDocument, type UsageOverTimeQuery } from './generated/graphql.ts'

const day = 86_400_000
const ranges = {
  day: { name: '24 hours', ms: day, step: 'hour' },
  month: { name: '30 days', ms: 30 * day, step: 'day' },
  year: { name: '12 months', ms: 365 * day, step: 'day' },
} as const
type Range = keyof typeof ranges
type Point = NonNullable<UsageOverTimeQuery['usageSeries']>['points'][number]

/** Each figure of a point by its column in the CSV. */
const figures = {
  searches: (point: Point) => point.searches,
  answers: (point: Point) => point.answers,
  ingested: (point: Point) => point.ingested,
  deleted: (point: Point) => point.deleted,
  refused: (point: Point) => point.refused,
  p50Ms: (point: Point) => point.p50Ms,
  p95Ms: (point: Point) => point.p95Ms,
  textUnits: ({ units }: Point) => units?.text,
  visualUnits: ({ units }: Point) => units?.visual,
  audioUnits: ({ units }: Point) => units?.audio,
  docVisualUnits: ({ units }: Point) => units?.docVisual,
  sourceBytes: (point: Point) => point.sourceBytes,
}

const isRange = (name: string | undefined): name is Range => name !== undefined && Object.hasOwn(ranges, name)

/** What the namespace did over time. */
export function Plots() {
  const { get, set } = useUrl()
  const asked = get('range')
  const range = isRange(asked) ? asked : 'month'
  // The same range until the page is opened again: a clock would ask without end.
  const [to] = useState(() => Date.now() + 1)
  const { ms, step } = ranges[range]
  const { data, error, refetch } = useGraphql(UsageOverTimeDocument, { from: to - ms, to, step })
  const points = data?.usageSeries?.points
  return (
    <section aria-label="Over time" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="flex-1 max-wide:basis-full">Over time</h2>
        {(Object.keys(ranges) as Range[]).map((name) => (
          <Button
            key={name}
            className="aria-pressed:bg-hover aria-pressed:font-strong"
            aria-pressed={name === range}
            onClick={() => set({ range: name }, { replace: true })}
          >
            {ranges[name].name}
          </Button>
        ))}
        {points && <Download points={points} />}
      </div>
      {error && <Problem error={error} onRetry={refetch} />}
      {!points && !error && <Skeleton rows={6} height={44} />}
      {points && <All points={points} step={step} />}
    </section>
  )
}

function All({ points, step }: { points: readonly Point[]; step: 'hour' | 'day' }) {
  const isLong = points.length > 31
  const labels = points.map(({ at }) => labelOf(at, step, isLong))
  const of = (name: string, key: keyof typeof figures, className: string) => ({
    name,
    className,
    values: points.map((point) => figures[key](point) ?? null),
  })
  const ofPlane = (plane: keyof typeof planeColours, key: keyof typeof figures) => ({
    ...of(planeText(plane), key, planeColours[plane]),
    wire: plane,
  })
  return (
    <div className="grid gap-3 broad:grid-cols-2">
      <Plot
        title="Searches and answers"
        kind="bars"
        labels={labels}
        series={[of('Searches', 'searches', 'text-accent'), of('Answers', 'answers', 'text-ok')]}
      />
      <Plot
        title="Latency"
        kind="lines"
        labels={labels}
        format={(ms) => (ms < 1 ? `${ms} ms` : durationText(ms))}
        series={[of('Median', 'p50Ms', 'text-accent'), of('95th percentile', 'p95Ms', 'text-warn')]}
      />
      <Plot
        title="Units by plane"
        kind="bars"
        labels={labels}
        series={[
          ofPlane('text', 'textUnits'),
          ofPlane('visual', 'visualUnits'),
          ofPlane('audio', 'audioUnits'),
          ofPlane('doc_visual', 'docVisualUnits'),
        ]}
      />
      <Plot
        title="Units written and deleted"
        kind="bars"
        labels={labels}
        series={[of('Written', 'ingested', 'text-accent'), of('Deleted', 'deleted', 'text-danger')]}
      />
      <Plot
        title="Stored sources"
        kind="bars"
        labels={labels}
        format={sizeText}
        series={[of('Sources', 'sourceBytes', 'text-accent')]}
      />
      <Plot title="Refused requests" kind="bars" labels={labels} series={[of('Refused', 'refused', 'text-danger')]} />
    </div>
  )
}

/** Days are those of UTC, hours those of the reader's clock. */
const labelOf = (at: number, step: 'hour' | 'day', isLong: boolean) =>
  step === 'hour'
    ? new Date(at).toLocaleString(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' })
    : new Date(at).toLocaleDateString(undefined, {
        timeZone: 'UTC',
        month: 'short',
        day: 'numeric',
        ...(isLong && { year: 'numeric' }),
      })

/** Rounded: the quantiles are estimates. */
const cell = (value: number | null | undefined) => (value == null ? '' : Math.round(value * 10) / 10)

function Download({ points }: { points: readonly Point[] }) {
  const save = () => {
    const rows = points.map((point) => [
      new Date(point.at).toISOString(),
      ...Object.values(figures).map((figure) => cell(figure(point))),
    ])
    const url = URL.createObjectURL(
      new Blob([[['at', ...Object.keys(figures)], ...rows].join('\n')], { type: 'text/csv' }),
    )
    const link = Object.assign(document.createElement('a'), { href: url, download: 'usage.csv' })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 1000)
  }
  return <Button onClick={save}>Save as CSV</Button>
}
