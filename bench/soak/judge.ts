/** One look at the service: what was measured, by the name of the measure. */
export interface Sample {
  /** Milliseconds since the load began. */
  at: number
  values: Readonly<Record<string, number>>
}

export interface Measure {
  name: string
  unit: string
  /** A difference below this is none: the resolution of the measure, in its unit. */
  floor: number
  /** The same in runs of less than ten minutes: what it rises by anyway, while caches fill and code is compiled. Default: `floor`. */
  settling?: number
  /** Only shown, because it also depends on what else the machine does. */
  shownOnly?: boolean
}

export interface Judged extends Measure {
  start: number
  end: number
  /** (end - start) / start; 0 where the difference is below the floor. */
  growth: number
  grew: boolean
}

/**
 * The share of the measured time that each of the two windows takes. V8 collects its whole heap once in a minute or so, and
 * memory rises by a quarter between two of these: in short runs a tenth would only say where it begins and ends.
 */
const windowOf = (ms: number): number => (ms < 30 * 60_000 ? 1 / 3 : 0.1)

const floorOf = ({ floor, settling = floor }: Measure, ms: number): number => (ms < 10 * 60_000 ? settling : floor)

/**
 * Compares the median of the first tenth of the time after warming up with that of the last tenth, in runs of less than
 * half an hour of the thirds. A measure grew if its median did by more than `limit` (0.05 is 5 %) and by more than its
 * floor. Medians: a garbage collection or a checkpoint in a window decides nothing. Throws if a window holds no value of
 * a measure.
 */
export function judge(samples: readonly Sample[], measures: readonly Measure[], warmUpMs: number, limit: number) {
  const kept = samples.filter(({ at }) => at >= warmUpMs)
  const [from, to] = [kept[0]?.at ?? 0, kept.at(-1)?.at ?? 0]
  const width = (to - from) * windowOf(to - from)
  const first = kept.filter(({ at }) => at <= from + width)
  const last = kept.filter(({ at }) => at >= to - width)
  return measures.map((measure): Judged => {
    const [start, end] = [medianOf(first, measure.name), medianOf(last, measure.name)]
    const difference = end - start
    const growth = Math.abs(difference) <= floorOf(measure, to - from) ? 0 : difference / start
    return { ...measure, start, end, growth, grew: growth > limit && !measure.shownOnly }
  })
}

function medianOf(samples: readonly Sample[], name: string): number {
  const values = samples.flatMap(({ values }) => values[name] ?? []).toSorted((a, b) => a - b)
  const [low, high] = [values[(values.length - 1) >> 1], values[values.length >> 1]]
  if (low === undefined || high === undefined) throw new Error(`${name} was not measured in a window`)
  return (low + high) / 2
}
