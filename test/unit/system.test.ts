import { expect, test, vi } from 'vitest'
import { systemRandom } from '../../src/system.ts'

test('ids begin with the time at which they were made, and are random for the rest', () => {
  vi.useFakeTimers({ now: 0 })
  const ids = [0, 1, 61, 62, Date.UTC(2026, 10, 26), Date.UTC(8888, 0)].flatMap((now) => {
    vi.setSystemTime(now)
    return [systemRandom.id('unit'), systemRandom.id('unit')]
  })
  vi.useRealTimers()
  for (const id of ids) expect(id).toMatch(/^unit_[0-9A-Za-z]{22}$/)
  const times = ids.map((id) => id.slice(5, 13))
  expect(times.slice(0, 8)).toEqual(['0', '0', '1', '1', 'z', 'z', '10', '10'].map((time) => time.padStart(8, '0')))
  expect(times.toSorted()).toEqual(times)
  expect(new Set(ids.map((id) => id.slice(13))).size).toBe(ids.length)
})
