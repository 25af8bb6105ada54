import { useEffect, useId, useRef, useState } from 'react'

export interface PlotSeries {
  name: string
  /** What the interface calls it, if that is another word. */
  wire?: string
  /** A class that colours it: `stroke-…` and `fill-…` take `currentColor`. */
  className: string
  /** One for each label; null where there is none. */
  values: readonly (number | null)[]
  /** Of lines: from where to where each value may be. */
  intervals?: readonly (readonly [low: number, high: number] | null)[]
}

export interface PlotProps {
  title: string
  /** Of the steps, the oldest first. */
  labels: readonly string[]
  series: readonly PlotSeries[]
  /** Bars stand on one another, for counts; lines are for values. */
  kind: 'bars' | 'lines'
  format?: (value: number) => string
}

const height = 160
const [left, bottom, top] = [56, 20, 8]
/** No letter of the axes is wider, on average. */
const letter = 7

/** A plot for the eye, and the same figures as a table for assistive technology and for those who want them. */
export function Plot({ title, labels, series, kind, format = (value) => value.toLocaleString() }: PlotProps) {
  const id = useId()
  const figure = useRef<HTMLElement>(null)
  // Letters have one size, however wide the plot is.
  const [width, setWidth] = useState(640)
  useEffect(() => {
    const element = figure.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(Math.max(240, element.clientWidth - 32)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const sums = labels.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0))
  const highest =
    kind === 'bars'
      ? Math.max(0, ...sums)
      : Math.max(
          0,
          ...series.flatMap(({ values, intervals = [] }) =>
            [...values, ...intervals.map((one) => one?.[1])].map((one) => one ?? 0),
          ),
        )
  const max = niceMax(highest)
  const step = (width - left) / Math.max(1, labels.length)
  const y = (value: number) => height - bottom - (value / max) * (height - bottom - top)
  const isEmpty =
    kind === 'bars' ? highest === 0 : series.every(({ values }) => values.every((value) => value === null))
  return (
    <figure
      ref={figure}
      aria-labelledby={id}
      className="flex min-w-0 flex-col gap-2 rounded-surface border border-line bg-surface p-4"
    >
      <figcaption className="flex flex-wrap items-baseline gap-x-4">
        <span id={id} className="font-strong max-wide:basis-full">
          {title}
        </span>
        {series.length > 1 &&
          series.map(({ name, wire, className }) => (
            <span key={name} title={wire} className="inline-flex items-center gap-1.5 text-small text-muted">
              <span aria-hidden className={`inline-block size-2.5 rounded-[2px] bg-current ${className}`} />
              {name}
            </span>
          ))}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} height={height} aria-hidden className="w-full text-muted">
        {/* There is no half of one. */}
        {(isEmpty ? [0] : kind === 'bars' && max < 2 ? [0, 1] : [0, 0.5, 1]).map((share) => (
          <g key={share}>
            <line x1={left} x2={width} y1={y(share * max)} y2={y(share * max)} className="stroke-(--line)" />
            <text x={left - 6} y={y(share * max) + 4} textAnchor="end" fontSize="11" fill="currentColor">
              {format(share * max)}
            </text>
          </g>
        ))}
        {isEmpty && (
          <text x={(left + width) / 2} y={y(max / 2) + 4} textAnchor="middle" fontSize="11" fill="currentColor">
            none
          </text>
        )}
        {kind === 'bars'
          ? labels.map((_, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other identity
              <Bars key={i} at={i} {...{ series, step, y }} />
            ))
          : series.map((one) => <Line key={one.name} {...{ series: one, step, y }} />)}
        {placedLabels(labels, step, width).map(({ label, x }) => (
          <text key={x} x={x} y={height - 4} textAnchor="middle" fontSize="11" fill="currentColor">
            {label}
          </text>
        ))}
      </svg>
      <details className="text-small">
        <summary className="w-fit cursor-pointer text-muted">Figures</summary>
        <div className="mt-2 max-h-64 overflow-auto" tabIndex={0} role="region" aria-label={`Figures: ${title}`}>
          <table className="w-full text-left">
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="text-right">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {labels.map((label, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other identity
                <tr key={i}>
                  <th scope="row" className="font-normal">
                    {label}
                  </th>
                  {series.map(({ name, values, intervals }) => (
                    <td key={name} className="text-right">
                      {values[i] == null ? '–' : format(values[i])}
                      {intervals?.[i] && ` (${intervals[i].map(format).join(' to ')})`}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

const center = (at: number, step: number) => left + (at + 0.5) * step

/** The newest label, and as many of the others as there is room for, each below its step. */
function placedLabels(labels: readonly string[], step: number, width: number) {
  const size = Math.max(0, ...labels.map((label) => label.length)) * letter
  const last = labels.length - 1
  // The last one stands further to the left if it would not fit.
  const furthest = width - size / 2
  const moved = Math.max(0, center(last, step) - furthest)
  const every = Math.max(1, Math.ceil((size + moved + letter) / step))
  return labels.flatMap((label, i) => {
    const x = Math.min(center(i, step), furthest)
    return (last - i) % every === 0 && x - size / 2 >= left - letter ? [{ label, x }] : []
  })
}

interface BarsProps {
  at: number
  series: readonly PlotSeries[]
  step: number
  y(value: number): number
}

function Bars({ at, series, step, y }: BarsProps) {
  // Of a year they stand side by side: gaps would be thinner than a pixel.
  const width = step < 4 ? step : step * 0.7
  let below = 0
  return series.map(({ name, className, values }) => {
    const [from, to] = [below, below + (values[at] ?? 0)]
    below = to
    return (
      <rect
        key={name}
        x={center(at, step) - width / 2}
        width={width}
        y={y(to)}
        height={Math.max(0, y(from) - y(to))}
        fill="currentColor"
        className={className}
      />
    )
  })
}

function Line({ series, step, y }: Pick<BarsProps, 'step' | 'y'> & { series: PlotSeries }) {
  const x = (at: number) => center(at, step)
  const points = series.values.map((value, i) => (value === null ? null : `${x(i)} ${y(value)}`))
  // A gap ends a stroke; a single value between gaps shows as a dot, and others do where there is room.
  const path = points.map((point, i) => (point === null ? '' : `${points[i - 1] ? 'L' : 'M'}${point}`)).join('')
  return (
    <g className={series.className}>
      <path d={path} fill="none" stroke="currentColor" strokeWidth="2" strokeLinejoin="round" />
      {series.intervals?.map((interval, i) =>
        interval === null ? null : (
          <line
            // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other identity
            key={i}
            x1={x(i)}
            x2={x(i)}
            y1={y(interval[0])}
            y2={y(interval[1])}
            stroke="currentColor"
            strokeWidth="6"
            strokeOpacity="0.25"
          />
        ),
      )}
      {series.values.map((value, i) =>
        value === null || (step < 8 && (points[i - 1] || points[i + 1])) ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no other identity
          <circle key={i} cx={x(i)} cy={y(value)} r="3" fill="currentColor" />
        ),
      )}
    </g>
  )
}

/** At least 1, and so that its half is a whole number too, unless it is 1. */
function niceMax(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 6, 8, 10].map((factor) => factor * power).find((nice) => nice >= value) ?? value
}
