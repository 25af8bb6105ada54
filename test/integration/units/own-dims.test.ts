import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let root: string
let ann: string
let bob: string

beforeAll(async () => {
  app = await boot()
  root = await app.principal({ id: 'root', namespace: 'acme' })
  ann = await app.principal({ id: 'ann', namespace: 'acme', grants: [{ scope: '*', perms: ['read', 'write'] }] })
  bob = await app.principal({ id: 'bob', namespace: 'acme', grants: [{ scope: '*', perms: ['read', 'write'] }] })
})
afterAll(() => app?.close())

type Plane = 'text' | 'visual' | 'audio' | 'doc_visual'

const ingest = (token: string, plane: Plane, ...units: object[]) =>
  app.call('POST', '/v1/ingest', {
    token,
    scope: 'main',
    body: { units: units.map((unit) => ({ plane, text: 'heron', ...unit })) },
  })
const search = async (token: string, plane: Plane, vector: number[]) => {
  const { status, body } = await app.call('POST', '/v1/search', {
    token,
    scope: 'main',
    body: { q: '', planes: [plane], vector: { [plane]: vector } },
  })
  return status === 200 ? body.hits.map((hit: { external_id: string }) => hit.external_id) : [status, body.detail]
}
const remove = (token: string, body: object) => app.call('POST', '/v1/units:delete', { token, scope: 'main', body })
const statsOf = async (plane: Plane) => {
  const { body } = await app.call('GET', '/v1/catalog/stats', { token: bob, scope: 'main' })
  const { model, dims, vectors } = body.planes.find((one: { plane: Plane }) => one.plane === plane)
  return { model, dims, vectors }
}
const reset = (token: string, plane: Plane) =>
  app.graphql(`mutation { resetVectors(plane: ${plane}) { plane vectors seq } }`, {}, { token })
const builtin = { model: 'hashed-ngrams-512', dims: 512 }

test.each([false, true])('the last own vector frees the dimensions when it is deleted (hard: %s)', async (hard) => {
  const plane: Plane = hard ? 'visual' : 'audio'
  const units = [1, 2].map((i) => ({ external_id: `${plane}${i}`, vector: [i, 1, 0] }))
  expect((await ingest(ann, plane, ...units)).status).toBe(200)
  expect(await statsOf(plane)).toMatchObject({ model: 'own', dims: 3 })
  const wider = { external_id: 'wider', vector: [0, 1, 0, 0], acl_groups: ['*'] }
  const refused = await ingest(bob, plane, wider)
  expect([refused.status, refused.body.detail]).toEqual([400, expect.stringMatching(/^units\[0\]\.vector: .*3 dim/)])
  expect(await search(bob, plane, [1, 0, 0, 0])).toEqual([400, expect.stringMatching(/3 dimensions/)])

  await remove(ann, { ids: [`${plane}1`], hard })
  expect((await ingest(bob, plane, wider)).status).toBe(400)
  await remove(ann, { ids: [`${plane}2`], hard })
  expect(await statsOf(plane)).toMatchObject(builtin)
  expect(await search(bob, plane, [1, 0, 0, 0])).toEqual([])
  expect((await ingest(bob, plane, wider)).status).toBe(200)
  expect(await statsOf(plane)).toEqual({ model: 'own', dims: 4, vectors: 1 })
  expect(await search(ann, plane, [0, 1, 0, 0])).toEqual(['wider'])
})

test('a Unit that is sent again without its vector frees the dimensions', async () => {
  const unit = { external_id: 'page', vector: [1, 0] }
  await ingest(ann, 'doc_visual', unit)
  await ingest(ann, 'doc_visual', { external_id: 'page' })
  expect(await statsOf('doc_visual')).toMatchObject({ ...builtin, vectors: 1 })
  expect((await ingest(ann, 'doc_visual', { ...unit, vector: [1, 0, 0] })).status).toBe(200)
  expect(await statsOf('doc_visual')).toMatchObject({ model: 'own', dims: 3 })
})

test('a restored Unit has its vector if the dimensions are still its own, otherwise one of its text', async () => {
  const restore = (ids: string[]) =>
    app.graphql('mutation ($ids: [String!]!) { restoreUnits(ids: $ids) { restored } }', { ids }, { token: ann })
  const { body } = await ingest(ann, 'text', { external_id: 'narrow', vector: [1, 0], acl_groups: ['*'] })
  const [{ unit_id: narrow }] = body.units
  await remove(ann, { ids: [narrow] })
  await restore([narrow])
  expect(await statsOf('text')).toEqual({ model: 'own', dims: 2, vectors: 1 })
  expect(await search(bob, 'text', [1, 0])).toEqual(['narrow'])

  await remove(ann, { ids: [narrow] })
  await ingest(ann, 'text', { external_id: 'wide', text: 'egret', vector: [0, 0, 1], acl_groups: ['*'] })
  expect((await restore([narrow])).body.data.restoreUnits.restored).toBe(1)
  app.runtime.domain.background.kick()
  await app.runtime.domain.background.idle()
  expect(await statsOf('text')).toEqual({ model: 'own', dims: 3, vectors: 2 })
  expect(await search(bob, 'text', [0, 0, 1])).toEqual(['wide'])
  // Its text is found by the model of the plane.
  const words = await app.call('POST', '/v1/search', {
    token: bob,
    scope: 'main',
    body: { q: 'heron', planes: ['text'] },
  })
  expect(words.body.hits[0].external_id).toBe('narrow')
  // The same again brings its vector back, once the dimensions allow it.
  expect((await ingest(ann, 'text', { external_id: 'narrow', vector: [1, 0], acl_groups: ['*'] })).status).toBe(400)
  await remove(ann, { ids: ['wide'] })
  const again = await ingest(ann, 'text', { external_id: 'narrow', vector: [1, 0], acl_groups: ['*'] })
  expect(again.body.counts.updated).toBe(1)
  expect(await search(bob, 'text', [1, 0])).toEqual(['narrow'])
  await remove(ann, { ids: ['narrow'], hard: true })
})

test('an admin frees them: own vectors are gone, and texts are embedded by the model of the plane', async () => {
  const units = Array.from({ length: 5 }, (_, i) => ({ external_id: `own${i}`, text: `heron ${i}`, vector: [1, i] }))
  await ingest(ann, 'text', ...units, { external_id: 'pointer', text: undefined, source_uri: 's3://x', vector: [1, 9] })
  await remove(ann, { ids: ['own4'] })
  for (const token of [ann, bob]) {
    const { body } = await reset(token, 'text')
    expect(body.errors[0].extensions).toMatchObject({ code: 'forbidden', status: 403 })
  }
  const { body } = await reset(root, 'text')
  expect(body.data.resetVectors).toEqual({ plane: 'text', vectors: 5, seq: expect.any(Number) })
  const log = await app.call('GET', '/v1/audit?limit=50', { token: root })
  const rows = log.body.rows.filter((row: { action: string }) => row.action === 'vectors.reset')
  expect(rows).toMatchObject([{ principal_id: 'root', outcome: 'ok', detail: { plane: 'text', vectors: 5 } }])

  await app.runtime.domain.background.idle()
  expect(await statsOf('text')).toEqual({ ...builtin, vectors: 4 })
  expect(await search(bob, 'text', [1, 2, 3, 4])).toEqual([])
  const after = { token: ann, scope: 'main', headers: { 'x-svc-after-seq': `${body.data.resetVectors.seq}` } }
  const found = await app.call('POST', '/v1/search', {
    ...after,
    body: { q: '', planes: ['text'], vector: { text: [1, 0] } },
  })
  expect(found.body.hits).toEqual([])
  // What was sent before is a change now, at any length.
  const again = await ingest(ann, 'text', ...units.slice(0, 2).map((unit) => ({ ...unit, vector: [0, 1, 0] })))
  expect(again.body.counts).toEqual({ created: 0, updated: 2, unchanged: 0 })
  expect(await statsOf('text')).toEqual({ model: 'own', dims: 3, vectors: 4 })
  expect(new Set(await search(ann, 'text', [0, 1, 0]))).toEqual(new Set(['own0', 'own1']))

  const empty = await reset(root, 'visual')
  await reset(root, 'visual')
  expect(empty.body.data.resetVectors.plane).toBe('visual')
})

test('a reset and writes at the same time leave every own vector of one length, as the stats say', async () => {
  const writes = Array.from({ length: 12 }, (_, i) =>
    ingest(ann, 'audio', { external_id: `race${i}`, vector: Array.from({ length: 2 + (i % 3) }, () => 1) }),
  )
  const resets = Array.from({ length: 4 }, () => reset(root, 'audio'))
  const replies = await Promise.all(writes)
  for (const { status } of replies) expect([200, 400]).toContain(status)
  for (const { body } of await Promise.all(resets)) expect(body.errors).toBeUndefined()
  const { model, dims } = await statsOf('audio')
  if (model === 'own')
    expect(
      await search(
        ann,
        'audio',
        Array.from({ length: dims }, () => 1),
      ),
    ).not.toEqual([])
  await reset(root, 'audio')
  expect(await statsOf('audio')).toMatchObject(builtin)
})
