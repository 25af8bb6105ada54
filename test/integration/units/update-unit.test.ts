import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { withCatalogRows } from '../../support/database/catalog-rows.ts'
import { mutationsOf } from '../../support/mutations.ts'

let app: TestApp
let run: ReturnType<typeof mutationsOf>
let namespace: string
let owner: string
let reader: string
let made = 0

beforeAll(async () => {
  app = await boot()
  run = mutationsOf(app)
})
afterAll(() => app.storage.remove())

const member = (id: string, rest = {}) =>
  app.principal({ id: `${namespace}-${id}`, namespace, groups: ['crew'], ...rest })

beforeEach(async () => {
  made += 1
  namespace = `slip-${made}`
  ;[owner, reader] = [await member('owner'), await member('reader')]
})

const ingest = async (unit: object, as = owner) =>
  (await app.call('POST', '/v1/ingest', { token: as, scope: 'dock', body: { units: [unit] } })).body.units[0]
const lantern = { text: 'lantern', external_id: 'one', acl_groups: ['crew'], metadata: { tag: 'old', n: 1.5 } }
const get = (unitId: string, token = reader) => app.call('GET', `/v1/units/${unitId}`, { token })
const search = async (body: object, token = reader) => (await app.call('POST', '/v1/search', { token, body })).body
const found = async (body: object, token = reader): Promise<string[]> =>
  (await search(body, token)).hits.map((hit: { unit_id: string }) => hit.unit_id)
const hidden = async (token: string) => (await app.call('GET', '/v1/units', { token })).body.hidden_by_acl

describe('updateUnit', () => {
  test('changes what is named, and keeps the rest, its place and its vector', async () => {
    const { unit_id: first } = await ingest({ ...lantern, vector: [1, 0, 0] })
    await ingest({ text: 'another', acl_groups: ['crew'] })
    const before = (await get(first)).body
    const metadata = { Tag: 'new', list: ['x'] }
    const { data } = await run.updateUnit(first, { metadata }, { token: reader })
    const same = { unitId: first, externalId: 'one', text: 'lantern', aclOwner: `${namespace}-owner` }
    expect(data).toEqual({
      unit: {
        ...same,
        aclGroups: ['crew'],
        metadata,
        createdAt: before.created_at,
        updatedAt: expect.any(Number),
        version: data.seq,
      },
      seq: 3,
      indexed: true,
    })
    expect(data.unit.updatedAt).toBeGreaterThanOrEqual(before.updated_at)
    const groups = await run.updateUnit(first, { aclGroups: ['z', 'crew', 'z'] }, { token: owner })
    expect(groups.data.unit).toMatchObject({ ...same, aclGroups: ['crew', 'z'], metadata })
    const { units } = (await app.call('GET', '/v1/units', { token: reader })).body
    expect(units.map((unit: { text: string }) => unit.text)).toEqual(['lantern', 'another'])
    // The caller's vector is still there, and filters use the new metadata.
    const near = { q: '', vector: { text: [1, 0, 0] }, planes: ['text'] }
    expect(await found({ ...near, filters: { metadata: { Tag: 'new' } } })).toEqual([first])
    expect(await found({ ...near, filters: { metadata: { tag: 'old' } } })).toEqual([])
    const stats = (await app.call('GET', '/v1/catalog/stats', { token: owner })).body
    expect(stats.storage).toMatchObject({ catalog_rows: 2, vectors: 2 })
  })

  test('opens and closes a Unit to others, and says what it became only to those who may read it', async () => {
    const { unit_id } = await ingest({ ...lantern, acl_groups: [] })
    expect([await found({ q: 'lantern' }), await hidden(reader)]).toEqual([[], 1])
    const opened = await run.updateUnit(unit_id, { aclGroups: ['*'] }, { token: owner })
    expect(opened.data).toMatchObject({ unit: { aclGroups: ['*'] }, indexed: true })
    expect([await found({ q: 'lantern' }), await hidden(reader)]).toEqual([[unit_id], 0])

    const given = await run.updateUnit(unit_id, { aclOwner: `${namespace}-reader`, aclGroups: [] }, { token: owner })
    expect(given).toEqual({ data: { unit: null, seq: opened.data.seq + 1, indexed: true }, error: null })
    expect([await found({ q: 'lantern' }), await hidden(reader)]).toEqual([[unit_id], 0])
    expect([await found({ q: 'lantern' }, owner), await hidden(owner)]).toEqual([[], 1])
    const again = await run.updateUnit(unit_id, { aclGroups: ['*'] }, { token: owner })
    expect(again.error).toMatchObject({ status: 404 })
  })

  test('reaches what a deletion would reach; anything else is not found, alike', async () => {
    const { unit_id: open } = await ingest(lantern)
    const { unit_id: closed } = await ingest({ text: 'closed' })
    const { unit_id: gone } = await ingest({ text: 'gone', acl_groups: ['crew'] })
    await app.call('POST', '/v1/units:delete', { token: owner, body: { ids: [gone] } })
    const change = { metadata: { mine: true } }
    const notFound = {
      data: null,
      error: {
        status: 404,
        code: 'not_found',
        detail: 'no such Unit: the id must be that of a Unit that you may read, in a scope where you may write',
      },
    }
    for (const id of [closed, gone, 'unit_0000000000000000000000']) {
      expect(await run.updateUnit(id, change, { token: reader })).toEqual(notFound)
    }
    const elsewhere = await member('elsewhere', {
      grants: [
        { scope: '*', perms: ['read'] },
        { scope: 'pier', perms: ['read', 'write'] },
      ],
    })
    expect((await get(open, elsewhere)).status).toBe(200)
    expect(await run.updateUnit(open, change, { token: elsewhere })).toEqual(notFound)
    expect(await run.updateUnit(open, change, { token: owner, scope: 'pier' })).toEqual(notFound)
    const blind = await member('blind', { grants: [{ scope: '*', perms: ['write'] }] })
    expect(await run.updateUnit(open, change, { token: blind })).toEqual(notFound)
    const mute = await member('mute', { grants: [{ scope: '*', perms: ['read'] }] })
    expect((await run.updateUnit(open, change, { token: mute })).error).toMatchObject({ status: 403 })
    expect((await get(open)).body.metadata).toEqual(lantern.metadata)
  })

  test.each([
    ['nothing', {}, 'must change at least one field'],
    ['nulls', { aclOwner: null, aclGroups: null, metadata: null }, 'must change at least one field'],
    ['an empty owner', { aclOwner: '' }, 'aclOwner: must not be empty'],
    ['a long owner', { aclOwner: 'x'.repeat(129) }, 'aclOwner: must be at most 128 characters'],
    ['65 groups', { aclGroups: Array(65).fill('g') }, 'aclGroups: must be at most 64 groups'],
    ['a NUL', { aclGroups: ['a\0'] }, 'aclGroups[0]: must not contain NUL or an unpaired surrogate'],
    ['metadata that is too deep', { metadata: { a: { b: { c: { d: { e: { f: 1 } } } } } } }, 'metadata.a'],
    ['big metadata', { metadata: { a: 'x'.repeat(16_384) } }, 'metadata: must be at most 16 KiB'],
    ['a list as metadata', { metadata: [] }, 'metadata: must be an object'],
  ])('refuses %s', async (_, input, detail) => {
    const { unit_id } = await ingest(lantern)
    const { error } = await run.updateUnit(unit_id, input, { token: owner })
    expect(error).toMatchObject({ status: 400, code: 'bad_request', detail: expect.stringContaining(detail) })
    expect((await get(unit_id)).body.metadata).toEqual(lantern.metadata)
  })

  test('with the version that it was made from refuses to undo what came between', async () => {
    const { unit_id } = await ingest(lantern)
    const query = 'query ($id: String!) { unit(unitId: $id) { version } }'
    const { version } = (await app.graphql(query, { id: unit_id }, { token: reader })).body.data.unit
    const both = await Promise.all(
      [owner, reader].map((token) => run.updateUnit(unit_id, { metadata: { by: token.length }, version }, { token })),
    )
    expect(both.map(({ error }) => error?.status ?? 200).sort()).toEqual([200, 400])
    expect(both.flatMap(({ error }) => error ?? [])).toEqual([
      {
        status: 400,
        code: 'bad_request',
        detail: 'version: must be the current version: the Unit has changed; read it again',
      },
    ])
  })

  test('does not change in a later ingest of the same, and is undone by one of what was there before', async () => {
    const { unit_id } = await ingest(lantern)
    await run.updateUnit(unit_id, { aclGroups: [], metadata: { tag: 'new' } }, { token: owner })
    const asItIs = { ...lantern, acl_groups: [], metadata: { tag: 'new' } }
    expect(await ingest(asItIs)).toMatchObject({ unit_id, status: 'unchanged' })
    expect(await ingest(lantern)).toMatchObject({ unit_id, status: 'updated' })
    expect(await ingest(lantern)).toMatchObject({ unit_id, status: 'unchanged' })
    expect((await get(unit_id)).body).toMatchObject({ acl_groups: ['crew'], metadata: lantern.metadata })
    // A reversed change is not a change; a change of only one field is.
    await run.updateUnit(unit_id, { metadata: { n: 2 } }, { token: owner })
    expect(await ingest({ ...lantern, acl_groups: ['crew'], metadata: { n: 2 } })).toMatchObject({
      status: 'unchanged',
    })
    await run.updateUnit(unit_id, { metadata: lantern.metadata }, { token: owner })
    expect(await ingest(lantern)).toMatchObject({ unit_id, status: 'unchanged' })
    await run.updateUnit(unit_id, { aclOwner: `${namespace}-reader` }, { token: owner })
    expect(await ingest(lantern)).toMatchObject({ unit_id, status: 'updated' })
  })
})

// Last: it closes the application to read the catalog without it.
test('every change stands in the audit log without its values', async () => {
  const { unit_id } = await ingest(lantern)
  const request = { token: owner, headers: { 'x-request-id': 'change-1' } }
  await run.updateUnit(unit_id, { aclOwner: 'secret-owner', metadata: { secret: 'secret' } }, request)
  await app.close({ keep: true })
  const rows = await withCatalogRows(app.storage, (sql) =>
    sql(
      `SELECT r.principal_id, r.target, r.request_id, r.detail FROM audit_row r JOIN namespace n ON n.id = r.namespace_id
       WHERE n.name = $1 AND r.action = 'units.update'`,
      [namespace],
    ),
  )
  const detail = { acl_owner: true, acl_groups: false, metadata: true, seq: 2 }
  expect(rows).toEqual([{ principal_id: `${namespace}-owner`, target: unit_id, request_id: 'change-1', detail }])
})
