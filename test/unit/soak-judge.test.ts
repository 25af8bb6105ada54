import { describe, expect, it } from 'vitest'
import { judge, type Sample } from '../../bench/soak/judge.ts'
import { readOptions } from '../../bench/soak/options.ts'

const minute = 60_000
const measure = { name: 'memory', unit: 'MiB', floor: 1 }

/** A sample a second for an hour. */
const hourOf = (valueAt: (share: number, second: number) => number): Sample[] =>
  Array.from({ length: 3600 }, (_, second) => ({
    at: second * 1000,
    values: { memory: valueAt(second / 3600, second) },
  }))

const verdict = (samples: Sample[], limit = 0.05) => {
  const [one] = judge(samples, [measure], 10 * minute, limit)
  if (!one) throw new Error('nothing was judged')
  return one
}

describe('the judge of the soak', () => {
  it('finds a leak of a tenth in an hour, and lets one of a fiftieth pass', () => {
    expect(verdict(hourOf((share) => 500 * (1 + 0.1 * share)))).toMatchObject({ grew: true })
    expect(verdict(hourOf((share) => 500 * (1 + 0.02 * share)))).toMatchObject({ grew: false })
  })

  it('compares medians: what is seldom, and what rises and falls, did not grow', () => {
    const spikes = hourOf((_, second) => (second > 3300 && second % 3 === 0 ? 5000 : 500))
    expect(verdict(spikes)).toMatchObject({ start: 500, end: 500, growth: 0, grew: false })
    const sawtooth = hourOf((_, second) => 500 + 3 * (second % 60))
    expect(verdict(sawtooth).grew).toBe(false)
    expect(verdict(hourOf((share, second) => 500 * (1 + 0.1 * share) + 3 * (second % 60))).grew).toBe(true)
  })

  it('compares thirds in short runs, so that the phase of a slow rise and fall decides nothing', () => {
    const rising = (second: number) => 500 + (150 * (second % 100)) / 100
    for (const minutes of [9, 10, 12, 15]) {
      const samples = hourOf((_, second) => rising(second)).filter(({ at }) => at < minutes * minute)
      expect(judge(samples, [measure], 0, 0.05)).toMatchObject([{ grew: false }])
    }
  })

  it('does not count what grows while warming up', () => {
    expect(verdict(hourOf((share) => (share < 0.15 ? 300 : 500))).grew).toBe(false)
  })

  it('does not count a difference below the resolution, nor a measure that is only shown', () => {
    expect(verdict(hourOf((share) => 3 + share)).grew).toBe(false)
    expect(verdict(hourOf((share) => 3 + 2 * share)).grew).toBe(true)
    const samples = hourOf((share) => 500 * (1 + share))
    expect(judge(samples, [{ ...measure, shownOnly: true }], 0, 0.05)).toMatchObject([{ grew: false }])
  })

  it('lets caches fill in a short run, and finds what takes more', () => {
    const settling = { ...measure, settling: 200 }
    const rising = (by: number) => hourOf((share) => 100 + by * share)
    const short = (samples: Sample[]) => samples.filter(({ at }) => at < 9 * minute)
    const grew = (samples: Sample[]) => judge(samples, [settling], 0, 0.5)[0]?.grew
    expect([grew(short(rising(1_500))), grew(short(rising(3_000)))]).toEqual([false, true])
    expect(grew(rising(150))).toBe(true)
  })

  it('refuses to judge what was not measured', () => {
    expect(() => verdict([])).toThrow('memory was not measured')
  })

  it('has flags with bounds', () => {
    expect(readOptions([])).toMatchObject({ minutes: 60, limit: 0.05, grow: false })
    expect(() => readOptions(['--minutes', 'long'])).toThrow('--minutes long: must be a number from 0.5')
    expect(() => readOptions(['--hours', '1'])).toThrow('--hours')
  })
})
