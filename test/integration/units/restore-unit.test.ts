import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { createBuiltinInference } from '../../../src/adapters/inference-builtin/builtin-inference.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { expectSoundCatalog, withCatalogRows } from '../../support/database/catalog-rows.ts'
import { mutationsOf } from '../../support/mutations.ts'

let app: TestApp
let run: ReturnType<typeof mutationsOf>
let namespace: string
let owner: string
let reader: string
let made = 0
let embeddingFails = false

const builtin = createBuiltinInference()
const inference = {
  ...builtin,
  embed: async (...args: Parameters<typeof builtin.embed>) => {
    if (embeddingFails) throw new Error('the provider does not answer')
    return builtin.embed(...args)
  },
}

beforeAll(async () => {
  app = await boot({ bindings: { inference } })
  run = mutationsOf(app)
})
afterAll(() => app.storage.remove())

const member = (id: string, rest = {}) =>
  app.principal({ id: `${namespace}-${id}`, namespace, groups: ['crew'], ...rest })

beforeEach(async () => {
  made += 1
  namespace = `locker-${made}`
  ;[owner, reader] = [await member('owner'), await member('reader')]
})

const sendTo = (scope: string, units: readonly object[], token = owner) =>
  app.call('POST', '/v1/ingest', { token, scope, body: { units } })
const idsOf = (units: readonly { unit_id: string }[]) => units.map((unit) => unit.unit_id)
const ingest = async (...units: object[]) => idsOf((await sendTo('dock', units)).body.units)
const remove = async (ids: readonly string[], hard = false, token = owner) =>
  (await app.call('POST', '/v1/units:delete', { token, body: { ids, hard } })).body
const get = (unitId: string, token = owner) => app.call('GET', `/v1/units/${unitId}`, { token })
const search = async (body: object, token = owner): Promise<string[]> =>
  idsOf((await app.call('POST', '/v1/search', { token, body })).body.hits)
const stats = async () => (await app.call('GET', '/v1/catalog/stats', { token: owner })).body
const anchor = { text: 'anchor chain', acl_groups: ['crew'] }
const nothing = { matched: 0, restored: 0, indexed: true }

describe('restoreUnits', () => {
  test('brings Units back as they were: content, place, readers, vectors, counters', async () => {
    const [first = '', second = ''] = await ingest(
      { ...anchor, external_id: 'a', doc_id: 'd', metadata: { k: 'v' }, vector: [0, 1] },
      { ...anchor, text: 'rope' },
    )
    const before = (await get(first)).body
    const { storage } = await stats()
    await remove([first])
    expect(await search({ q: 'anchor' })).not.toContain(first)
    const { data } = await run.restoreUnits([first, second, first, 'unknown'], { token: reader })
    // The other Unit is already live.
    expect(data).toEqual({ matched: 2, restored: 1, seq: 4, indexed: true })
    const after = (await get(first)).body
    expect(after).toEqual({ ...before, updated_at: after.updated_at })
    expect(idsOf((await app.call('GET', '/v1/units', { token: owner })).body.units)).toEqual([first, second])
    expect((await search({ q: 'anchor' }))[0]).toBe(first)
    expect(await search({ q: '', vector: { text: [0, 1] }, planes: ['text'] })).toEqual([first])
    expect((await stats()).storage).toEqual(storage)
    expect((await run.restoreUnits([first, second], { token: owner })).data).toMatchObject({ matched: 2, restored: 0 })
    const again = await sendTo('dock', [
      { ...anchor, external_id: 'a', doc_id: 'd', metadata: { k: 'v' }, vector: [0, 1] },
    ])
    expect(again.body.units[0]).toMatchObject({ unit_id: first, status: 'unchanged' })
  })

  test('reaches readable Units in writable scopes that still exist; the rest counts nowhere, alike', async () => {
    const [closed = '', open = '', purged = ''] = await ingest({ text: 'closed' }, anchor, anchor)
    const [elsewhere = ''] = idsOf((await sendTo('pier', [anchor])).body.units)
    await remove([closed, open, elsewhere])
    await remove([purged], true)
    expect((await run.restoreUnits([closed], { token: reader })).data).toMatchObject(nothing)
    expect((await run.restoreUnits([purged, 'unknown'], { token: owner })).data).toMatchObject(nothing)
    expect((await run.restoreUnits([elsewhere], { token: owner, scope: 'dock' })).data).toMatchObject(nothing)
    const grants = [{ scope: 'dock', perms: ['read', 'write'] as const }]
    const docker = await member('docker', { grants })
    expect((await run.restoreUnits([elsewhere, open], { token: docker })).data).toMatchObject({
      matched: 1,
      restored: 1,
    })
    const mute = await member('mute', { grants: [{ scope: '*', perms: ['read'] }] })
    expect((await run.restoreUnits([elsewhere], { token: mute })).error).toMatchObject({ status: 403 })

    await app.call('DELETE', '/v1/scopes/pier', { token: owner })
    expect((await run.restoreUnits([elsewhere], { token: owner })).data).toMatchObject(nothing)
    await app.call('POST', '/v1/scopes', { token: owner, body: { scope: 'pier' } })
    await app.runtime.domain.background.idle()
    expect((await run.restoreUnits([elsewhere], { token: owner })).data).toMatchObject(nothing)
    expect((await get(elsewhere)).status).toBe(404)
  })

  test.each([
    ['no ids', [], 'ids: must not be empty'],
    ['an empty id', ['x', ''], 'ids[1]: must not be empty'],
    ['too many ids', Array(1001).fill('x'), 'ids: must be at most 1000 ids'],
  ])('refuses %s', async (_, ids, detail) => {
    const { error } = await run.restoreUnits(ids, { token: owner })
    expect(error).toEqual({ status: 400, code: 'bad_request', detail })
  })

  test('refuses where another Unit has taken the external id, and then brings nothing back', async () => {
    const named = { ...anchor, external_id: 'same' }
    const [other = '', old = ''] = await ingest(anchor, named)
    await remove([other, old])
    const [current = ''] = await ingest(named)
    expect(current).not.toBe(old)
    // The same external id of another writer or in another scope does not matter.
    await sendTo('pier', [named])
    await sendTo('dock', [named], reader)
    const refused = await run.restoreUnits([other, old], { token: owner })
    const detail = 'ids[1]: cannot be restored: another Unit has its external_id now; delete that one first'
    expect(refused.error).toEqual({ status: 400, code: 'bad_request', detail })
    expect((await get(other)).status).toBe(404)
    // A caller that may not see the other Unit gets no information about it.
    await run.updateUnit(current, { aclGroups: [] }, { token: owner })
    expect((await run.restoreUnits([old], { token: reader })).data).toMatchObject(nothing)

    await remove([current])
    const both = await run.restoreUnits([current, old], { token: owner })
    expect(both.error?.detail).toMatch(/^ids\[[01]\]: another of these Units has its external_id: restore/)
    expect((await run.restoreUnits([old], { token: owner })).data).toMatchObject({ restored: 1 })
    expect((await run.restoreUnits([current], { token: owner })).error).toMatchObject({ status: 400 })
  })

  test('keeps to the planes of scope, tier and key', async () => {
    const [picture = ''] = await ingest({ ...anchor, modality: 'image' })
    await remove([picture])
    await run.updateScope('dock', { planes: ['text'] }, { token: owner })
    const { error } = await run.restoreUnits([picture], { token: owner })
    expect(error).toMatchObject({
      status: 400,
      detail: 'ids[0]: scope dock does not enable the plane visual, only text',
    })
    await run.updateScope('dock', { planes: ['text', 'visual'] }, { token: owner })
    const narrow = await member('narrow', { restrictions: { planes: ['text'] } })
    // Units that the key excludes are not counted, like hidden Units.
    expect((await run.restoreUnits([picture], { token: narrow })).data).toMatchObject({ matched: 0, restored: 0 })
    expect((await run.restoreUnits([picture], { token: owner })).data).toMatchObject({ restored: 1 })
  })

  test('does not bring back the bytes of a source that was purged meanwhile', async () => {
    const { body } = await app.graphql(
      'mutation ($input: CreateSourceInput!) { createSource(input: $input) { sourceUri } }',
      { input: { data: Buffer.from('bytes').toString('base64') } },
      { token: owner },
    )
    const source_uri = body.data.createSource.sourceUri
    const [kept = '', last = ''] = await ingest({ ...anchor, source_uri }, { ...anchor, source_uri })
    await remove([kept])
    expect(await remove([last], true)).toMatchObject({ purged: 1, sources_purged: 1 })
    expect((await run.restoreUnits([kept], { token: owner })).data).toMatchObject({ restored: 1 })
    expect((await get(kept)).body.source_uri).toBe(source_uri)
    expect((await stats()).storage.object_store_gb).toBe(0)
    expect(await remove([kept], true)).toMatchObject({ purged: 1, sources_purged: 0 })
  })

  test('a Unit that still waits for its vector keeps waiting', async () => {
    embeddingFails = true
    const sent = await sendTo('dock', [{ ...anchor, external_id: 'late' }])
    const [late = ''] = idsOf(sent.body.units)
    expect(sent.body.indexed).toBe(false)
    await remove([late])
    const pending = async () => (await stats()).planes.map((plane: { lag: number }) => plane.lag)
    await expect.poll(pending).toEqual([0, 0, 0, 0])
    expect((await run.restoreUnits([late], { token: owner })).data).toMatchObject({ restored: 1, indexed: false })
    expect((await stats()).storage).toMatchObject({ catalog_rows: 1, vectors: 0 })
    embeddingFails = false
    const vectorsNow = async () => {
      app.runtime.domain.background.kick()
      await app.runtime.domain.background.idle()
      return (await stats()).storage.vectors
    }
    await expect.poll(vectorsNow).toBe(1)
  })
})

test('the ceiling of the Free tier holds for what comes back', async () => {
  const token = await app.principal({ id: 'free', namespace: 'small', tier: 'free' })
  const shelf = [{ source_uri: 'shelf://0' }, { source_uri: 'shelf://1' }]
  const [gone = '', freed = ''] = idsOf((await sendTo('dock', shelf, token)).body.units)
  await remove([gone], false, token)
  const { client } = app.runtime.bindings.catalog as PrismaCatalog
  const where = { namespace: { name: 'small' } }
  // Simulates this many other documents.
  await client.head.updateMany({ where, data: { documents: { increment: 24_999 } } })
  const over = { data: null, error: { status: 402, code: 'quota_exceeded', detail: expect.any(String) } }
  expect(await run.restoreUnits([gone], { token })).toEqual(over)
  expect((await get(gone, token)).status).toBe(404)
  await remove([freed], false, token)
  expect((await run.restoreUnits([gone], { token })).data).toMatchObject({ matched: 1, restored: 1 })
  expect(await run.restoreUnits([freed], { token })).toEqual(over)
  await client.head.updateMany({ where, data: { documents: { decrement: 24_999 } } })
})

// Last: it closes the application to read the catalog without it.
test('counters are true and restorations stand in the audit log', async () => {
  const [unit = ''] = await ingest(anchor)
  await remove([unit])
  await run.restoreUnits([unit, 'unknown'], { token: reader, scope: 'dock' })
  await app.close({ keep: true })
  const rows = await withCatalogRows(app.storage, (sql) =>
    sql(
      `SELECT r.principal_id, r.target, r.detail FROM audit_row r JOIN namespace n ON n.id = r.namespace_id
       WHERE n.name = $1 AND r.action = 'units.restore'`,
      [namespace],
    ),
  )
  const detail = { units: 1, seq: 3 }
  expect(rows).toEqual([{ principal_id: `${namespace}-reader`, target: 'dock', detail }])
  await expectSoundCatalog(app.storage)
})
