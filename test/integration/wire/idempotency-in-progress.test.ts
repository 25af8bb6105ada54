import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { createFaultyIndex } from '../../support/index/faulty-index.ts'

let app: TestApp
const { vectors, texts, faults, close } = createFaultyIndex()
beforeAll(async () => {
  app = await boot({ config: { ingestWaitMs: 120_000, writeWaitMs: 200 }, bindings: { vectors, texts } })
})
afterAll(async () => {
  // A change that waits would keep the service from closing.
  faults.texts.release()
  await app.close()
  await close()
})

test('a write that runs for too long is 409 for its duplicates, and a replay once it is done', async () => {
  const token = await app.principal({ id: 'ann', namespace: 'acme' })
  const body = { units: [{ scope: 'a', text: 'grey heron' }] }
  const post = () => app.call('POST', '/v1/ingest', { token, body, headers: { 'idempotency-key': 'one' } })
  faults.texts.hold()
  const first = post()
  const late = await post()
  expect([late.status, late.body.error]).toEqual([409, 'idempotency_in_progress'])
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  faults.texts.release()
  const done = await first
  expect(done.status).toBe(200)
  const again = await post()
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true'])
  expect(again.body).toEqual(done.body)
  expect((await app.call('GET', '/v1/units', { token })).body.units).toHaveLength(1)
})
