import { parseArgs } from 'node:util'

export interface Options {
  minutes: number
  /** Where the result goes as JSON; null for nowhere. */
  json: string | null
  seed: number
  /** Live Units, the same number all the time. */
  units: number
  /** Operations a second. */
  rate: number
  /** The growth that is allowed: 0.05 is 5 %. */
  limit: number
  /** Nothing is deleted, so that growth must be found. */
  grow: boolean
}

export const help = `Runs the service under a mixed load with a constant number of live Units, and looks for growth.

  npm run soak -- [--minutes 60] [--json FILE] [--seed 1] [--units 2000] [--rate 15] [--limit 5] [--grow]

  --minutes N   time of the load, after a third of it, at most 10 minutes, for warming up. Default: 60
  --json FILE   also write the result and all samples to FILE
  --seed N      the same seed gives the same sequence of operations. Default: 1
  --units N     number of live Units. Default: 2000
  --rate N      operations a second, if the service is fast enough. Default: 15
  --limit N     growth in percent above which a measure has grown. Default: 5
  --grow        delete nothing, to see that growth is found

  exit 0  nothing grew
       1  something grew, or an answer of the service was wrong
       2  wrong usage`

/** Throws with a sentence for wrong usage. */
export function readOptions(args: readonly string[]): Options | 'help' {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: text,
      json: text,
      seed: text,
      units: text,
      rate: text,
      limit: text,
      grow: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  return {
    minutes: numberOf('--minutes', values.minutes, 60, [0.5, 10_080]),
    json: values.json ?? null,
    seed: numberOf('--seed', values.seed, 1, [0, 2 ** 31]),
    units: numberOf('--units', values.units, 2000, [100, 9000]),
    rate: numberOf('--rate', values.rate, 15, [1, 1000]),
    limit: numberOf('--limit', values.limit, 5, [0, 1000]) / 100,
    grow: values.grow,
  }
}

function numberOf(flag: string, text: string | undefined, byDefault: number, [min, max]: readonly [number, number]) {
  const value = text === undefined ? byDefault : Number(text)
  if (!(value >= min && value <= max)) throw new Error(`${flag} ${text}: must be a number from ${min} to ${max}`)
  return value
}

/** Growth of the first minutes is that of caches and compiled code. */
export const warmUpOf = (minutes: number): number => Math.min(minutes / 3, 10) * 60_000
