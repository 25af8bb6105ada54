import { afterEach, expect, test } from 'vitest'
import { createBuiltinInference } from '../../../src/adapters/inference-builtin/builtin-inference.ts'
import type { Inference } from '../../../src/ports/models/inference.ts'
import type { TestApp } from '../../support/boot.ts'
import { createCompass } from '../../support/compass.ts'
import { expectSoundCatalog } from '../../support/database/catalog-rows.ts'
import { createStorage } from '../../support/database/database.ts'
import { bootWith, failingAfter, gate, harbourOf } from '../../support/models/model-change.ts'

const alpha = () => createCompass('alpha', 'north')
const beta = () => createCompass('beta', 'south', 6)
const gamma = () => createCompass('gamma', 'north')

const open = new Set<TestApp>()
afterEach(async () => {
  for (const app of open) await app.close()
  open.clear()
})

/** A namespace on persistent storage, so that the service can restart with other models. */
async function namespaceWith(first: Inference, texts: readonly string[]) {
  const storage = await createStorage()
  let app = await bootWith(first, [], storage)
  open.add(app)
  const token = await app.principal({ id: 'ada', namespace: 'ports' })
  const port = await harbourOf(app, token, 'ports')
  const ids = await port.ingest(texts)
  const close = async () => {
    open.delete(app)
    await app.close({ keep: true })
    await expectSoundCatalog(storage)
    await storage.remove()
  }
  const restart = async (next: Inference, former: Inference[]) => {
    open.delete(app)
    await app.close({ keep: true })
    app = await bootWith(next, former, storage)
    open.add(app)
    return harbourOf(app, token, 'ports')
  }
  return { port, ids, token, close, restart }
}

const many = Array.from({ length: 66 }, (_, i) => `${i % 2 ? 'north' : 'south'} pier ${i}`)
const restore = /* GraphQL */ `mutation ($ids: [String!]!) { restoreUnits(ids: $ids) { restored } }`

test('a plane is served from its old vectors until all Units have new ones, then from those', async () => {
  const { port: before, ids, restart, close } = await namespaceWith(alpha(), ['north pier', 'south pier'])
  expect((await before.find()).texts).toEqual(['north pier', 'south pier'])
  expect(await before.stats()).toMatchObject({ model: 'alpha', dims: 4, vectors: 2 })

  const held = gate()
  const next = beta()
  next.gate = (texts) => (texts.includes('north pier') ? held.promise : undefined)
  const port = await restart(next, [alpha()])
  await expect.poll(async () => (await port.plane()).lag).toBeGreaterThan(0)
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
  // Callers' vectors match Units of the model with the same number of dimensions.
  const given = async (text: number[]) => (await port.find({ q: '', vector: { text } })).texts.sort()
  expect(await given([1, 0, 0, 0])).toEqual(['north pier', 'south pier'])
  expect(await given([1, 0, 0, 0, 0, 0])).toEqual(['south gate'])

  held.resolve()
  await port.settled()
  const after = await port.find()
  expect(after.texts.at(-1)).toBe('north pier')
  expect(after.hits[0].explain).toMatchObject([{ leg: 'vector:text' }])
  expect(await port.stats()).toMatchObject({ model: 'beta', dims: 6, vectors: 3 })
  expect(await port.plane()).toMatchObject({ pending: 0, indexed: 3 })
  expect(await port.models([...ids, gateId])).toEqual([['beta'], ['beta'], ['beta']])
  const actions = await port.actions()
  expect(actions.filter((action) => action === 'plane.switch')).toHaveLength(1)
  for (const action of ['units.reembed', 'vectors.remove']) expect(actions).toContain(action)
  await close()
})

test('texts that the former model does not understand are embedded by the new one, also where there is no other text', async () => {
  const english = alpha()
  const { embed } = english
  english.embed = async (plane, texts, kind) =>
    (await embed(plane, texts, kind)).map((vector, i) => (texts[i]?.includes('phare') ? null : vector))
  const { port: before, ids, restart, close } = await namespaceWith(english, ['north pier', 'phare south', 'nowhere'])
  const other = await before.app.principal({ id: 'bea', namespace: 'lights' })
  const lone = await (await harbourOf(before.app, other, 'lights')).ingest(['phare north'])
  expect(await before.stats()).toMatchObject({ model: 'alpha', vectors: 1 })

  const port = await restart(beta(), [english])
  await expect.poll(() => port.models(ids)).toEqual([['beta'], ['beta'], []])
  const lights = await harbourOf(port.app, other, 'lights')
  await expect.poll(() => lights.models(lone)).toEqual([['beta']])
  for (const one of [port, lights]) {
    await one.settled()
    await expect.poll(async () => (await one.plane()).pending).toBe(0)
  }
  expect((await port.find()).texts[0]).toBe('phare south')
  await close()
})

test('a change continues after restarts, in every namespace, and outlasts a provider that fails', async () => {
  const { port: before, restart } = await namespaceWith(alpha(), many)
  const other = await before.app.principal({ id: 'bea', namespace: 'lights' })
  await (await harbourOf(before.app, other, 'lights')).ingest(['north light', 'south light'])

  const failing = beta()
  failing.gate = failingAfter(1, 'pier')
  let port = await restart(failing, [alpha()])
  await expect.poll(async () => (await port.plane()).modelChange?.done).toBe(64)
  expect(await port.plane()).toMatchObject({ pending: 2, modelChange: { left: 2 } })
  const during = await port.find({ top_k: 50 })
  expect(during.texts).toHaveLength(50)
  expect(during.texts[0]).toContain('north')
  expect(during.legs).not.toContain('vector:text:beta')

  // A hanging model delays neither searches nor a shutdown, and nothing uses the old model for embedding.
  const hanging = beta()
  hanging.gate = (texts) => (texts.includes('where') ? undefined : gate().promise)
  port = await restart(hanging, [])
  const alone = await port.find({ top_k: 50 })
  expect(alone.trace.degraded).toEqual(['vector:text'])
  expect([alone.texts.length, alone.legs.includes('vector:text:beta')]).toEqual([50, true])
  expect(alone.texts[0]).toContain('south')
  expect((await port.plane()).modelChange).toMatchObject({ done: 64, left: 2 })

  const healthy = beta()
  port = await restart(healthy, [])
  await port.settled()
  const lights = await harbourOf(port.app, other, 'lights')
  await lights.settled()
  expect(healthy.embedded).toBeLessThanOrEqual(4)
  const after = await port.find()
  expect([after.trace.degraded, after.texts[0].startsWith('south')]).toEqual([[], true])
  expect((await lights.find()).texts[0]).toBe('south light')
  expect(await port.stats()).toMatchObject({ model: 'beta', vectors: 66 })
})

test('a third model half-way, and back to the first, leave every Unit one vector', async () => {
  const { ids, restart, close } = await namespaceWith(alpha(), many)
  const half = beta()
  half.gate = failingAfter(1, 'pier')
  let port = await restart(half, [alpha()])
  await expect.poll(async () => (await port.plane()).modelChange?.done).toBe(64)
  const [late = ''] = await port.ingest(['south gate'])

  const third = gamma()
  third.gate = failingAfter(1, 'pier')
  port = await restart(third, [alpha(), beta()])
  await expect.poll(async () => (await port.plane()).modelChange?.done).toBeGreaterThanOrEqual(64)
  expect((await port.plane()).modelChange).toMatchObject({ model: 'alpha', target: 'gamma' })
  for (const models of await port.models(ids)) {
    expect(models[0]).toBe('alpha')
    expect(models.length).toBeLessThanOrEqual(2)
  }
  const [purged = '', deleted = '', ...others] = ids.filter((_, i) => i < 64)
  expect((await port.call('POST', '/v1/units:delete', { ids: [purged], hard: true })).body).toMatchObject({ purged: 1 })
  expect((await port.call('POST', '/v1/units:delete', { ids: [deleted] })).body).toMatchObject({ tombstoned: 1 })
  expect((await port.models(others)).filter((models) => models.length === 2).length).toBeGreaterThan(50)
  const { texts } = await port.find({ top_k: 50 })
  expect([texts.length, new Set(texts).size]).toEqual([50, 50])

  const first = alpha()
  port = await restart(first, [beta(), gamma()])
  await port.settled()
  expect((await port.graphqlAsOwner(restore, { ids: [deleted, purged] })).data.restoreUnits).toEqual({ restored: 1 })
  expect((await port.models([purged, deleted, ...others, late])).map(String)).toEqual([
    '',
    ...Array.from({ length: 64 }, () => 'alpha'),
  ])
  // Only the Unit that was written in the meantime was embedded again.
  expect(first.embedded).toBe(1)
  expect(await port.stats()).toMatchObject({ model: 'alpha', dims: 4, vectors: 66 })
  await close()
})

test('deletions, restorations, new readers and new texts meanwhile are all kept', async () => {
  const names = ['purged', 'deleted', 'closed', 'changed', 'kept'].map((name) => `north ${name}`)
  const { ids, restart, close } = await namespaceWith(alpha(), names)
  const [purged = '', deleted = '', closed = ''] = ids
  const held = gate()
  const next = beta()
  next.gate = (texts) => (texts.length > 1 ? held.promise : undefined)
  const port = await restart(next, [alpha()])
  const waiting = async () => (await port.plane()).lag
  await expect.poll(waiting).toBeGreaterThan(0)
  const eve = await port.app.principal({ id: 'eve', namespace: 'ports', groups: ['crew'] })
  const remove = (id: string, hard: boolean) => port.call('POST', '/v1/units:delete', { ids: [id], hard })
  expect((await remove(purged, true)).body).toMatchObject({ purged: 1 })
  expect((await remove(deleted, false)).body).toMatchObject({ tombstoned: 1 })
  const share = /* GraphQL */ `mutation ($id: String!) { updateUnit(unitId: $id, input: { aclGroups: ["crew"] }) { seq } }`
  expect((await port.graphqlAsOwner(share, { id: closed })).errors).toBeUndefined()
  const units = [{ text: 'south changed', external_id: 'north changed' }]
  expect((await port.call('POST', '/v1/ingest', { units })).body.counts).toMatchObject({ updated: 1 })
  held.resolve()
  await port.settled()
  expect(await port.models(ids)).toEqual([[], [], ['beta'], ['beta'], ['beta']])
  expect((await port.find()).texts.sort()).toEqual(['north closed', 'north kept', 'south changed'])
  expect((await port.find()).texts[0]).toBe('south changed')
  const seen = await port.app.call('POST', '/v1/search', { token: eve, scope: 'dock', body: { q: 'where' } })
  expect(seen.body.hits.map((hit: { text: string }) => hit.text)).toEqual(['north closed'])

  expect((await port.graphqlAsOwner(restore, { ids: [deleted] })).data).toEqual({ restoreUnits: { restored: 1 } })
  await expect.poll(() => port.models([deleted])).toEqual([['beta']])
  expect((await port.plane()).modelChange).toBeNull()
  expect(await port.stats()).toMatchObject({ model: 'beta', vectors: 4 })

  await close()
})

test("callers' own vectors stay, found by vectors of their length; what can't be embedded again delays nothing", async () => {
  const builtin = createBuiltinInference()
  const { port: before, ids, restart, close } = await namespaceWith(builtin, ['north pier', 'nowhere'])
  const put = async (harbour: typeof before, unit: object): Promise<string> => {
    const { status, body } = await harbour.call('POST', '/v1/ingest', { units: [unit] })
    expect(status).toBe(200)
    return body.units[0].unit_id
  }
  const own = await put(before, { text: 'of my own', vector: [1, 0, 0] })
  expect(await before.stats()).toMatchObject({ model: 'own', dims: 3, vectors: 3 })

  let port = await restart(alpha(), [builtin])
  await port.settled()
  expect(await port.models([...ids, own])).toEqual([['alpha'], [], ['own']])
  expect(await port.stats()).toMatchObject({ model: 'alpha', dims: 4, vectors: 2 })
  expect((await port.find()).texts).toEqual(['north pier'])
  const nearest = async (text: number[]) => (await port.find({ q: '', vector: { text } })).texts
  expect(await nearest([1, 0, 0])).toEqual(['of my own'])
  const wrong = await port.call('POST', '/v1/search', { q: '', vector: { text: [1, 0] } })
  expect(wrong.body).toMatchObject({ status: 400, detail: 'vector.text: must have 4 or 3 dimensions' })
  const pointer = await put(port, { source_uri: 's3://buoy', vector: [0, 1, 0, 0] })

  port = await restart(beta(), [])
  await expect.poll(async () => (await port.find()).legs).toContain('vector:text')
  await expect.poll(() => port.models([...ids, own, pointer])).toEqual([['beta'], [], ['own'], ['alpha']])
  await expect.poll(async () => (await port.plane()).modelChange).toBeNull()
  await expect.poll(() => port.plane()).toMatchObject({ pending: 0, indexed: 4, lag: 0 })
  expect(await port.stats()).toMatchObject({ model: 'beta', dims: 6, vectors: 3 })
  expect((await port.find()).trace.degraded).toEqual([])
  expect(await nearest([0, 1, 0, 0])).toEqual([null])
  await close()
})
