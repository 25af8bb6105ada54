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
  const { addQueries } = usage
  const written: number[] = []
  usage.addQueries = (namespaceId, hour, queries) => {
    written.push(queries)
    return addQueries(namespaceId, hour, queries)
  }
  let searches = 0
  const until = performance.now() + 5000
  const searchOn = async () => {
    while (performance.now() < until) {
      expect((await app.call('POST', '/v1/search', { token: ann, body: { q: 'heron' } })).status).toBe(200)
      searches++
    }
  }
  await Promise.all([searchOn(), searchOn(), searchOn(), searchOn()])
  expect(written.length).toBeLessThan(5)
  const stats = await app.call('GET', '/v1/catalog/stats', { token: ann })
  expect(stats.body.queries_per_day).toBe(searches)
}, 30_000)
