import { mean } from './metrics.ts'

export interface Interval {
  low: number
  high: number
}

const resamples = 2000
const confidence = 0.95
const seed = 20_261_121

/**
 * The 95 % percentile interval of the mean over collections of each one's mean over queries. The queries of each
 * collection are resampled with replacement (Efron & Tibshirani 1993). For per-query differences between two rankings
 * this is the paired bootstrap. The same scores always give the same interval.
 */
export function bootstrap(collections: readonly (readonly number[])[]): Interval {
  const random = seeded(seed)
  const drawnMean = (scores: readonly number[]) => {
    let sum = 0
    for (let i = 0; i < scores.length; i++) sum += scores[Math.floor(random() * scores.length)] ?? 0
    return sum / scores.length
  }
  const means = Float64Array.from({ length: resamples }, () => mean(collections.map(drawnMean))).sort()
  const outside = Math.round((resamples * (1 - confidence)) / 2)
  return { low: means[outside] ?? Number.NaN, high: means[resamples - 1 - outside] ?? Number.NaN }
}

/** Mulberry32: uniform numbers in [0, 1). */
export function seeded(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
