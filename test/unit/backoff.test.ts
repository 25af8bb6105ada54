import { expect, it } from 'vitest'
import { createBackoff } from '../../src/domain/background/backoff.ts'

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
