import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { withCatalogRows } from '../../support/database/catalog-rows.ts'
import { mutationsOf } from '../../support/mutations.ts'

let app: TestApp
let run: ReturnType<typeof mutationsOf>
let token: string
let namespace: string
let made = 0
let seeded: { tokens: { admin: string }; counts: { units: number } }

beforeAll(async () => {
  app = await boot()
  run = mutationsOf(app)
  seeded = (await app.call('POST', '/v1/admin/seed')).body
})
afterAll(() => app.storage.remove())

beforeEach(async () => {
  made += 1
  namespace = `yard-${made}`
  token = await app.principal({ id: `${namespace}-admin`, namespace })
  for (const scope of ['a', 'a/b', 'a/b/c', 'ab']) await app.call('POST', '/v1/scopes', { token, body: { scope } })
})

const ingest = (scope: string, units: object[], as = token) =>
  app.call('POST', '/v1/ingest', { token: as, scope, body: { units } })
const search = async (body: object, as = token) => (await app.call('POST', '/v1/search', { token: as, body })).body
const textsOf = ({ hits }: { hits: { text: string }[] }) => hits.map((hit) => hit.text).sort()

describe('updateScope', () => {
  test('changes what is named and keeps the rest', async () => {
    const first = await run.updateScope('a/b', { planes: ['audio', 'text', 'audio'], parent: null }, { token })
    const changed = { scope: 'a/b', parent: null, planes: ['text', 'audio'], readOnlyAgents: false }
    expect(first).toEqual({ data: changed, error: null })
    const second = await run.updateScope('a/b', { readOnlyAgents: true, planes: null, parent: 'a' }, { token })
    expect(second.data).toEqual({ ...changed, parent: 'a', readOnlyAgents: true })
    const { body } = await app.call('GET', '/v1/scopes/a%2Fb', { token })
    expect(body).toMatchObject({ parent: 'a', planes: ['text', 'audio'], read_only_agents: true })
    expect((await app.call('PATCH', '/v1/scopes/a%2Fb', { token, body: { planes: ['text'] } })).status).toBe(404)
  })

  test.each([
    ['nothing', {}, 'must change at least one field'],
    ['no planes', { planes: [] }, 'planes: must not be empty'],
    ['itself as parent', { parent: 'a/b' }, 'parent: must be a registered scope above it'],
    ['one below it', { parent: 'a/b/c' }, 'parent: must be a registered scope above it'],
    ['one beside it', { parent: 'ab' }, 'parent: must be a registered scope above it'],
    ['a path that is none', { parent: 'a//b' }, 'parent: must be a scope path such as acme/backend'],
  ])('refuses %s', async (_, input, detail) => {
    const { error } = await run.updateScope('a/b', input, { token })
    expect(error).toEqual({ status: 400, code: 'bad_request', detail })
    expect((await app.call('GET', '/v1/scopes/a%2Fb', { token })).body.parent).toBe('a')
  })

  test('refuses an ancestor that is not registered', async () => {
    await ingest('x/y/z', [{ text: 'deep' }])
    const { error } = await run.updateScope('x/y/z', { parent: 'x' }, { token })
    expect(error?.detail).toBe('parent: must be a registered scope above it')
  })

  test('is for those who hold admin; what one may not see is not found, like what is not there', async () => {
    const member = (id: string, scope: string, perms: readonly ('read' | 'write' | 'admin')[], rest = {}) =>
      app.principal({ id: `${namespace}-${id}`, namespace, grants: [{ scope, perms }], ...rest })
    const change = { readOnlyAgents: true }
    const writer = await member('writer', 'a', ['read', 'write'])
    expect((await run.updateScope('a/b', change, { token: writer })).error).toMatchObject({ status: 403 })
    const hidden = (await run.updateScope('ab', change, { token: writer })).error
    const unknown = (await run.updateScope('nowhere', change, { token: writer })).error
    expect(hidden).toEqual({
      status: 404,
      code: 'not_found',
      detail: 'no such scope: it must be a registered scope that you may see',
    })
    expect(unknown).toEqual(hidden)
    const readOnly = await member('read-only', '*', ['read', 'write', 'admin'], { readOnly: true })
    expect((await run.updateScope('a', change, { token: readOnly })).error).toMatchObject({ status: 403 })

    const local = await member('local', 'a/b/c', ['read', 'write', 'admin'])
    expect((await run.updateScope('a/b/c', change, { token: local })).data).toMatchObject({ readOnlyAgents: true })
    // The visible parent may be set; other scopes above stay hidden.
    expect((await run.updateScope('a/b/c', { parent: 'a/b' }, { token: local })).data).toMatchObject({ parent: 'a/b' })
    const guesses = ['a', 'a/x'].map((parent) => run.updateScope('a/b/c', { parent }, { token: local }))
    const [there, not] = await Promise.all(guesses)
    expect(there?.error).toMatchObject({ status: 400 })
    expect(not?.error).toEqual(there?.error)
  })

  test('closes planes to searches and ingest at once, in that scope alone; listings show what is stored', async () => {
    const units = [{ text: 'crane words' }, { text: 'crane picture', modality: 'image' }]
    await ingest('a', units)
    await ingest(
      'a/b',
      units.map((unit) => ({ ...unit, text: `${unit.text} below` })),
    )
    const everything = { q: 'crane', top_k: 10 }
    expect(textsOf(await search(everything))).toHaveLength(4)
    await run.updateScope('a', { planes: ['text', 'audio'] }, { token })

    const after = await search(everything)
    expect(textsOf(after)).toEqual(['crane picture below', 'crane words', 'crane words below'])
    const narrow = await search({ ...everything, scope: 'a/b' })
    expect(narrow.trace.clamped_planes).toEqual([])
    for (const scope of ['a/b', 'a/b/c']) await run.updateScope(scope, { planes: ['text'] }, { token })
    const closed = await search({ ...everything, scope: 'a' })
    expect(textsOf(closed)).toEqual(['crane words', 'crane words below'])
    expect(closed.trace.clamped_planes).toEqual(['visual', 'doc_visual'])
    expect((await app.call('GET', '/v1/units?scope=a', { token })).body.units).toHaveLength(4)

    const batch = [{ text: 'fine' }, { text: 'not fine', modality: 'image' }]
    const detail = 'units[1].plane: scope a does not enable the plane visual, only text, audio'
    expect(await ingest('a', batch)).toMatchObject({ status: 400, body: { error: 'bad_request', detail } })
    const viaGraphql = await app.graphql(
      'mutation ($input: IngestInput!) { ingest(input: $input) { seq } }',
      { input: { units: batch } },
      { token, scope: 'a' },
    )
    expect(viaGraphql.body.errors[0]).toMatchObject({ message: detail, extensions: { status: 400 } })
    expect(textsOf(await search({ q: 'fine', scope: 'a' }))).not.toContain('fine')

    await run.updateScope('a', { planes: ['text', 'visual'] }, { token })
    expect(textsOf(await search({ ...everything, scope: 'a' }))).toContain('crane picture')
    expect((await ingest('a', batch)).status).toBe(200)
  })

  test('closes a scope and what is below it to the writes of agents', async () => {
    const grants = [{ scope: '*', perms: ['read', 'write'] as const }]
    const agent = await app.principal({ id: `${namespace}-agent`, namespace, kind: 'agent', grants })
    expect((await ingest('a/b', [{ text: 'one' }], agent)).status).toBe(200)
    await run.updateScope('a', { readOnlyAgents: true }, { token })
    expect((await ingest('a/b', [{ text: 'two' }], agent)).status).toBe(403)
    expect((await ingest('ab', [{ text: 'two' }], agent)).status).toBe(200)
    await run.updateScope('a', { readOnlyAgents: false }, { token })
    expect((await ingest('a/b', [{ text: 'two' }], agent)).status).toBe(200)
  })

  test('of a seeded scope does not stand in the way of the next seed', async () => {
    const closed = await run.updateScope('harbor/general', { planes: ['text'] }, { token: seeded.tokens.admin })
    expect(closed.data).toMatchObject({ planes: ['text'] })
    const again = await app.call('POST', '/v1/admin/seed', { token: seeded.tokens.admin })
    expect(again).toMatchObject({ status: 200, body: { counts: { unchanged: seeded.counts.units } } })
    const { body } = await app.call('GET', '/v1/scopes/harbor%2Fgeneral', { token: again.body.tokens.admin })
    expect(body.planes).toEqual(['text', 'visual', 'audio', 'doc_visual'])
  })
})

// Last: it closes the application to read the catalog without it.
test('every change stands in the audit log, those that were refused do not', async () => {
  await run.updateScope('a', { planes: ['text'], parent: null, readOnlyAgents: true }, { token })
  await run.updateScope('a', { planes: [] }, { token })
  await app.close({ keep: true })
  const rows = await withCatalogRows(app.storage, (sql) =>
    sql(
      `SELECT r.principal_id, r.action, r.target, r.detail FROM audit_row r JOIN namespace n ON n.id = r.namespace_id
       WHERE n.name = $1 AND r.action = 'scope.update'`,
      [namespace],
    ),
  )
  const detail = { parent: null, planes: 'text', read_only_agents: true }
  expect(rows).toEqual([{ principal_id: `${namespace}-admin`, action: 'scope.update', target: 'a', detail }])
})
