import { useEffect, useState } from 'react'
import { Plot } from '../../components/plot.tsx'
import type { HealthQuery } from './generated/graphql.ts'

type Planes = NonNullable<HealthQuery['catalogStats']>['planes']
type Pending = NonNullable<HealthQuery['compaction']>['planes']

interface Sample {
  at: number
  lags: Readonly<Record<string, number>>
  pending: Readonly<Record<string, number>>
}

/** Ten minutes, at one each five seconds. */
const maxSamples = 120

const looks: Record<string, { name: string; className: string }> = {
  text: { name: 'Text', className: 'text-plane-text' },
  visual: { name: 'Picture', className: 'text-plane-visual' },
  audio: { name: 'Audio', className: 'text-plane-audio' },
  doc_visual: { name: 'Page', className: 'text-plane-doc-visual' },
}

/** How long changes wait for their index, and how many, since the page was opened. */
export function Since({ planes, pending = [], at }: { planes: Planes; pending?: Pending | undefined; at: number }) {
  const [samples, setSamples] = useState<readonly Sample[]>([])
  useEffect(() => {
    const sample = {
      at,
      lags: Object.fromEntries(planes.map(({ plane, lag }) => [plane, lag / 1000])),
      pending: Object.fromEntries(pending.map((one) => [one.plane, one.pending])),
    }
    setSamples((all) => (all.at(-1)?.at === at ? all : [...all, sample].slice(-maxSamples)))
  }, [planes, pending, at])
  const labels = samples.map((sample) => new Date(sample.at).toLocaleTimeString())
  const series = (of: 'lags' | 'pending') =>
    planes.map(({ plane }) => ({
      name: looks[plane]?.name ?? plane,
      className: looks[plane]?.className ?? '',
      values: samples.map((sample) => sample[of][plane] ?? null),
    }))
  return (
    <section aria-label="Since this page was opened" className="flex flex-col gap-3">
      <h2>Since this page was opened</h2>
      <div className="grid gap-3 broad:grid-cols-2">
        <Plot title="Lag of the indexes in seconds" kind="lines" labels={labels} series={series('lags')} />
        <Plot title="Changes that wait for an index" kind="bars" labels={labels} series={series('pending')} />
      </div>
    </section>
  )
}
