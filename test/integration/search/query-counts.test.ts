import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let ann: string
beforeAll(async () => {
  app = await boot()
  ann = await app.principal({ id: 'ann', namespace: 'acme' })
  const body = { units: [{ scope: 'a', text: 'grey heron' }] }
  expect((await app.call('POST', '/v1/ingest', { token: ann, body })).status).toBe(200)
})
afterAll(() => app.close())

test('searches without a pause are counted in few writes, so that other background work has its turn', async () => {
  const { usage } = app.runtime.bindings.catalog
  const { addCounts } = usage
  const written: number[] = []
  usage.addCounts = (namespaceId, hour, counts) => {
    written.push(counts.queries)
    return addCounts(namespaceId, hour, counts)
  }
  const searches = 400
  const searchOn = async () => {
    for (let i = 0; i < searches / 4; i++) {
      expect((await app.call('POST', '/v1/search', { token: ann, body: { q: 'heron' } })).status).toBe(200)
    }
  }
  // A write wakes the background.
  const writeOne = () =>
    app.call('POST', '/v1/ingest', { token: ann, body: { units: [{ scope: 'a', text: 'egret' }] } })
  const started = performance.now()
  await Promise.all([writeOne(), searchOn(), searchOn(), searchOn(), searchOn()])
  // The background also has a round every two seconds, and a busy machine takes long for the searches.
  expect(written.length).toBeLessThan(searches / 20 + (performance.now() - started) / 1000)
  const stats = await app.call('GET', '/v1/catalog/stats', { token: ann })
  expect(stats.body.queries_per_day).toBe(searches)
  usage.addCounts = addCounts
})

test('searches that are being written are counted', async () => {
  const { domain, bindings } = app.runtime
  const { usage } = bindings.catalog
  const { addCounts } = usage
  const statistics = async () => (await app.call('GET', '/v1/catalog/stats', { token: ann })).body.queries_per_day
  const before = await statistics()
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  usage.addCounts = async (...counts) => {
    begun.resolve()
    await gate.promise
    return addCounts(...counts)
  }
  await app.call('POST', '/v1/search', { token: ann, body: { q: 'heron' } })
  domain.background.kick()
  await begun.promise
  const after = statistics()
  await Promise.race([after, sleep(200)])
  gate.resolve()
  expect(await after).toBe(before + 1)
  usage.addCounts = addCounts
})
