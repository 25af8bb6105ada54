import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBackoff, pauseAfter, retried } from '../../../src/async/backoff.ts'

describe('pauses', () => {
  it('grow by their factor from the first one, and never beyond the longest', () => {
    expect([0, 1, 2, 3, 4].map((before) => pauseAfter({ first: 100, max: 500 }, before))).toEqual([
      100, 200, 400, 500, 500,
    ])
    const growth = fc.record({
      first: fc.integer({ min: 1, max: 1000 }),
      max: fc.integer({ min: 1, max: 100_000 }),
      factor: fc.constantFrom(1, 1.5, 2, 4),
    })
    fc.assert(
      fc.property(growth, fc.nat(2000), (each, before) => {
        const [pause, next] = [pauseAfter(each, before), pauseAfter(each, before + 1)]
        expect(pause).toBeLessThanOrEqual(next)
        expect(next).toBeLessThanOrEqual(each.max)
        expect(pauseAfter(each, 0)).toBe(Math.min(each.first, each.max))
        if (next < each.max) expect(next).toBeCloseTo(pause * each.factor, 4)
      }),
    )
  })
})

describe('work that is tried again', () => {
  const failing = (times: number) => {
    let tries = 0
    return {
      attempt: async () => {
        tries += 1
        if (tries <= times) throw new Error(`failure ${tries}`)
        return tries
      },
      tries: () => tries,
    }
  }

  it('pauses after each failure and returns what succeeds', async () => {
    const slept: number[] = []
    const { attempt } = failing(3)
    const result = await retried(
      attempt,
      (error, before) => (error instanceof Error ? pauseAfter({ first: 10 }, before) : null),
      async (ms) => slept.push(ms),
    )
    expect(result).toBe(4)
    expect(slept).toEqual([10, 20, 40])
  })

  it('ends with the error that gets no pause, with an error of its own, or where a pause is cut short', async () => {
    const two = failing(9)
    await expect(retried(two.attempt, (_, before) => (before < 1 ? 1 : null))).rejects.toThrow('failure 2')
    expect(two.tries()).toBe(2)
    const own = failing(9)
    const refuse = () => {
      throw new Error('another error')
    }
    await expect(retried(own.attempt, refuse)).rejects.toThrow('another error')
    const stopped = failing(9)
    const stop = () => Promise.reject(new Error('stopped'))
    await expect(retried(stopped.attempt, () => 1, stop)).rejects.toThrow('stopped')
    expect([own.tries(), stopped.tries()]).toEqual([1, 1])
  })
})

describe('backoff', () => {
  it('waits longer and takes fewer with each failure, within bounds, and recovers', () => {
    let now = 1_000_000
    const backoff = createBackoff({ now: () => now }, 8)
    expect([backoff.isDue(), backoff.atOnce]).toEqual([true, 8])
    const waits: number[] = []
    for (let i = 0; i < 8; i++) {
      backoff.failed()
      const failedAt = now
      while (!backoff.isDue()) now += 500
      waits.push(now - failedAt)
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    expect(backoff.atOnce).toBe(1)
    for (const atOnce of [2, 4, 8, 8]) {
      backoff.succeeded()
      expect(backoff.atOnce).toBe(atOnce)
    }
    backoff.failed()
    now += 1000
    expect(backoff.isDue()).toBe(true)
  })

  it('ends its pause when the clock jumps back', () => {
    let now = 1_000_000
    const backoff = createBackoff({ now: () => now }, 8)
    backoff.failed()
    expect(backoff.isDue()).toBe(false)
    now -= 3_600_000
    expect(backoff.isDue()).toBe(true)
  })
})
