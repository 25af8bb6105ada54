import { afterEach, expect, test } from 'vitest'
import type { TestApp } from '../support/boot.ts'
import { createCompass } from '../support/compass.ts'
import { createStorage } from '../support/database.ts'
import { bootWith, gate, harbourOf } from '../support/model-change.ts'

const open: TestApp[] = []
afterEach(async () => {
  for (const app of open.splice(0)) await app.close()
})

const alpha = () => createCompass('alpha', 'north')
const beta = () => createCompass('beta', 'south', 6)

/** A namespace with Units of a model, closed again; then opened with another one. */
async function change(texts: readonly string[]) {
  const storage = await createStorage()
  const app = await bootWith(alpha(), [], storage)
  const token = await app.principal({ id: 'ada', namespace: 'ports' })
  const ids = await (await harbourOf(app, token, 'ports')).ingest(texts)
  return { storage, app, token, ids, close: () => app.close({ keep: true }) }
}

test('a plane is served from its old vectors until all Units have new ones, then from those', async () => {
  const before = await change(['north pier', 'south pier'])
  const old = await harbourOf(before.app, before.token, 'ports')
  expect((await old.find()).texts).toEqual(['north pier', 'south pier'])
  expect(await old.stats()).toMatchObject({ model: 'alpha', dims: 4, vectors: 2 })
  await before.close()

  const held = gate()
  const next = beta()
  next.gate = (texts) => (texts.includes('north pier') ? held.promise : undefined)
  const app = await bootWith(next, [alpha()], before.storage)
  open.push(app)
  const port = await harbourOf(app, before.token, 'ports')
  await expect.poll(async () => (await port.plane()).lag, { timeout: 15_000 }).toBeGreaterThan(0)
  expect(await port.plane()).toMatchObject({
    pending: 2,
    indexed: 0,
    modelChange: { model: 'alpha', target: 'beta', done: 0, left: 2 },
  })
  const during = await port.find()
  expect(during.texts).toEqual(['north pier', 'south pier'])
  expect(during.legs).not.toContain('vector:text:beta')
  expect(during.trace.degraded).toEqual([])
  expect(await port.stats()).toMatchObject({ model: 'alpha', dims: 4, vectors: 2 })

  const [gateId = ''] = await port.ingest(['south gate'])
  const { hits } = await port.find()
  expect(hits.map((hit: { text: string }) => hit.text).sort()).toEqual(['north pier', 'south gate', 'south pier'])
  const late = hits.find((hit: { unit_id: string }) => hit.unit_id === gateId)
  expect(late.explain).toMatchObject([{ leg: 'vector:text:beta' }])
  expect(await port.plane()).toMatchObject({ pending: 2, modelChange: { done: 1, left: 2 } })

  held.resolve()
  await port.settled()
  const after = await port.find()
  expect(after.texts.at(-1)).toBe('north pier')
  expect(after.hits[0].explain).toMatchObject([{ leg: 'vector:text' }])
  expect(await port.stats()).toMatchObject({ model: 'beta', dims: 6, vectors: 3 })
  expect(await port.plane()).toMatchObject({ pending: 0, indexed: 3 })
  expect(await port.models([...before.ids, gateId])).toEqual([['beta'], ['beta'], ['beta']])
  const actions = await port.actions()
  for (const action of ['units.reembed', 'plane.switch', 'vectors.remove']) expect(actions).toContain(action)
  expect((await port.call('GET', '/v1/audit/verify')).body).toMatchObject({ ok: true })
})
