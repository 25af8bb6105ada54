import type { Session } from '../../model/session.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { hourMs, hoursOf, type SeriesInput, stepHours } from './series-input.ts'

export interface UsagePoint {
  /** When the step begins, epoch milliseconds. */
  at: number
  searches: number
  answers: number
  /** Units written. */
  ingested: number
  /** Units deleted. */
  deleted: number
  refused: number
  /** Milliseconds that half of the searches and answers took at most, about; null without any. */
  p50Ms: number | null
  p95Ms: number | null
}

/** Counts of the whole namespace, for every step of a range. */
export async function usageSeries(
  { catalog: { usage }, queries }: Pick<Bindings, 'catalog'> & { queries: { flush(): Promise<void> } },
  { namespace }: Session,
  input: SeriesInput,
): Promise<{ points: UsagePoint[] }> {
  const size = stepHours[input.step]
  const [first, end] = hoursOf(input)
  await queries.flush()
  const rows = Map.groupBy(await usage.hours(namespace.id, first, end), ({ hour }) => Math.floor((hour - first) / size))
  const points = Array.from({ length: (end - first) / size }, (_, i): UsagePoint => {
    const hours = rows.get(i) ?? []
    const sum = (count: 'queries' | 'answers' | 'ingested' | 'deleted' | 'refused') =>
      hours.reduce((total, hour) => total + hour[count], 0)
    const latency = hours.reduce((total, hour) => added(total, hour.latency), noLatency())
    const answers = sum('answers')
    return {
      at: (first + i * size) * hourMs,
      searches: sum('queries') - answers,
      answers,
      ingested: sum('ingested'),
      deleted: sum('deleted'),
      refused: sum('refused'),
      p50Ms: quantile(latency, 0.5),
      p95Ms: quantile(latency, 0.95),
    }
  })
  return { points }
}

/** Upper bounds of the counters of latency, in milliseconds. The last counter has no bound: its bound here is that of a request. */
const latencyBounds = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 10_000, 60_000,
]

export const noLatency = (): number[] => latencyBounds.map(() => 0)

export function latencyOf(ms: number): number[] {
  const found = latencyBounds.findIndex((bound) => ms <= bound)
  const at = found < 0 ? latencyBounds.length - 1 : found
  return latencyBounds.map((_, i) => (i === at ? 1 : 0))
}

export const added = (one: readonly number[], other: readonly number[]): number[] =>
  latencyBounds.map((_, i) => (one[i] ?? 0) + (other[i] ?? 0))

/** Within its counter the quantile is interpolated. Null for no values. */
function quantile(latency: readonly number[], share: number): number | null {
  const target = share * latency.reduce((total, count) => total + count, 0)
  if (target === 0) return null
  let below = 0
  for (const [i, count] of latency.entries()) {
    if (below + count >= target) {
      const [low, high] = [latencyBounds[i - 1] ?? 0, latencyBounds[i] ?? 0]
      return low + ((high - low) * (target - below)) / count
    }
    below += count
  }
  return null
}
