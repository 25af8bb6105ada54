import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryKeyValue } from '../../../src/adapters/kv/memory-key-value.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { waited } from '../../support/waited.ts'

let app: TestApp
/** What the key-value store does when it is pinged. */
let state: 'up' | 'down' | 'hanging' = 'up'
let pings = 0
/** How far the clocks are set forward, in ms. */
let ahead = 0
const now = performance.now.bind(performance)
const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead)

beforeAll(async () => {
  const keyValue = createMemoryKeyValue()
  const ping = async () => {
    pings += 1
    if (state === 'down') throw new Error('down')
    if (state === 'hanging') await new Promise(() => {})
  }
  app = await boot({ bindings: { keyValue: { ...keyValue, ping }, clock: { now: () => Date.now() + ahead } } })
})
afterAll(async () => {
  await app?.close()
  clock.mockRestore()
})

const health = async () => (await app.call('GET', '/v1/health')).body
const nameOfStore = async () => (await health()).bindings.key_value
const expire = () => {
  ahead += 1_050
}

beforeEach(async () => {
  state = 'up'
  expire()
  await expect.poll(nameOfStore).toBe('memory')
  expire()
  pings = 0
})

it('takes nothing for down while the process itself is busy', async () => {
  const asked = app.runtime.domain.health()
  // Simulates a start on a busy machine: the event loop is blocked for longer than the timeout.
  const end = performance.now() + 2_500
  while (performance.now() < end);
  const { status, bindings } = await asked
  expect([status, bindings.catalog]).toEqual(['ok', app.storage.catalog.kind])
  expect(JSON.stringify(bindings)).not.toContain('(down)')
})

it('asks an engine once a second at most while it answers', async () => {
  const started = performance.now()
  const all = await Promise.all(Array.from({ length: 50 }, health))
  for (let i = 0; i < 50; i++) all.push(await health())
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['ok']))
  expect(pings).toBeLessThanOrEqual(2 + Math.floor((performance.now() - started) / 1000))
  const before = pings
  expire()
  await health()
  expect(pings).toBe(before + 1)
})

it('has the time of each request', async () => {
  const [first, second] = [await health(), await health()]
  expect(Date.parse(second.time)).toBeGreaterThanOrEqual(Date.parse(first.time))
  expire()
  expect(Date.parse((await health()).time)).toBeGreaterThan(Date.parse(second.time) + 1_000)
})

it('notices an outage within a second, and the recovery at once', async () => {
  await health()
  state = 'down'
  expire()
  expect(await health()).toMatchObject({ status: 'degraded', bindings: { key_value: 'memory (down)' } })
  state = 'up'
  expect(await health()).toMatchObject({ status: 'ok', bindings: { key_value: 'memory' } })
})

it('does not wait for an engine that hangs, and notices its recovery though the old ping never ends', async () => {
  state = 'hanging'
  // The clock stands: all ask in one moment, however slowly this machine sends them.
  clock.mockReturnValue(performance.now())
  const { result: names, ms } = await waited(() => Promise.all(Array.from({ length: 20 }, nameOfStore)))
  expect(ms).toBeLessThan(10_000)
  expect(new Set(names)).toEqual(new Set(['memory (down)']))
  expect(pings).toBe(1)
  clock.mockImplementation(() => now() + ahead)
  ahead += 2_050
  state = 'up'
  await expect.poll(nameOfStore).toBe('memory')
})
