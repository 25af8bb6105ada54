import { useEffect, useState } from 'react'
import { Plot } from '../../components/plot.tsx'
import { planeColours, planeText } from '../../components/words.ts'
import type { HealthQuery } from './generated/graphql.ts'

type Planes = NonNullable<HealthQuery['catalogStats']>['planes']
type Pending = NonNullable<HealthQuery['compaction']>['planes']

type Load = NonNullable<HealthQuery['health']>['load']

interface Sample {
  at: number
  load: Load
  lags: Readonly<Record<string, number>>
  pending: Readonly<Record<string, number>>
}

/** Ten minutes, at one each five seconds. */
const maxSamples = 120

const mib = 2 ** 20

export interface SinceProps {
  planes: Planes
  pending?: Pending | undefined
  /** Absent for all but the operator of the service. */
  load: Load
  at: number
}

/** How long changes wait for their index, how many, and what the service holds, since the page was opened. */
export function Since({ planes, pending = [], load, at }: SinceProps) {
  const [samples, setSamples] = useState<readonly Sample[]>([])
  useEffect(() => {
    const sample = {
      at,
      load,
      lags: Object.fromEntries(planes.map(({ plane, lag }) => [plane, lag / 1000])),
      pending: Object.fromEntries(pending.map((one) => [one.plane, one.pending])),
    }
    setSamples((all) => (all.at(-1)?.at === at ? all : [...all, sample].slice(-maxSamples)))
  }, [planes, pending, load, at])
  const labels = samples.map((sample) => new Date(sample.at).toLocaleTimeString())
  const byPlane = (of: 'lags' | 'pending') =>
    planes.map(({ plane }) => ({
      name: planeText(plane),
      className: planeColours[plane],
      values: samples.map((sample) => sample[of][plane] ?? null),
    }))
  const ofLoad = (name: string, className: string, read: (load: NonNullable<Load>) => number) => ({
    name,
    className,
    values: samples.map((sample) => (sample.load ? read(sample.load) : null)),
  })
  return (
    <section aria-label="Since this page was opened" className="flex flex-col gap-3">
      <h2>Since this page was opened</h2>
      <div className="grid gap-3 broad:grid-cols-2">
        <Plot title="Lag of the indexes in seconds" kind="lines" labels={labels} series={byPlane('lags')} />
        <Plot title="Changes that wait for an index" kind="bars" labels={labels} series={byPlane('pending')} />
        {load && (
          <>
            <Plot
              title="Memory of the service in MiB"
              kind="lines"
              labels={labels}
              format={(value) => Math.round(value).toLocaleString()}
              series={[ofLoad('Memory', 'text-accent', ({ memoryBytes }) => memoryBytes / mib)]}
            />
            <Plot
              title="Queues of the service"
              kind="bars"
              labels={labels}
              series={[
                ofLoad('Namespaces to index', 'text-accent', ({ indexing }) => indexing),
                ofLoad('Audit rows', 'text-warn', ({ auditRows }) => auditRows),
                ofLoad('Statements', 'text-plane-visual', ({ statements }) => statements),
              ]}
            />
          </>
        )}
      </div>
    </section>
  )
}
