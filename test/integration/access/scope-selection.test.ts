import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'

let app: TestApp
let keeper: string
const namespace = 'harbour'

beforeAll(async () => {
  app = await boot()
  keeper = await app.principal({ id: 'keeper', namespace })
  for (const scope of ['t', 't/a', 't/a/b', 't/a/c', 'u']) {
    await app.call('POST', '/v1/scopes', { token: keeper, body: { scope } })
  }
})
afterAll(() => app.close())

const ingest = (token: string, units: object[], options: CallOptions = {}) =>
  app.call('POST', '/v1/ingest', { token, body: { units }, ...options })
const textsOf = async (scope: string) => {
  const { body } = await app.call('GET', '/v1/units', { token: superAdminToken, namespace, scope })
  return body.units.map((unit: { text: string }) => unit.text).sort()
}

describe('a requested scope without read', () => {
  it('has no effective scopes, whatever is readable below it', async () => {
    const grants = [{ scope: 't/a', perms: ['read', 'write'] as const }]
    const token = await app.principal({ id: 'below', namespace, grants })
    const { status, body } = await app.call('GET', '/v1/context', { token, scope: 't' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ requested_scope: 't', effective_scopes: [], perms: [] })

    const search = { token, scope: 't', body: { q: 'ferry' } }
    const unit = { text: 'ferry', scope: 't/a', acl_groups: ['*'] }
    const { body: ingested } = await ingest(token, [unit])
    expect((await app.call('POST', '/v1/search', search)).status).toBe(403)
    expect((await app.call('POST', '/v1/answer', search)).status).toBe(403)
    expect((await app.call('GET', '/v1/units', { token, scope: 't' })).status).toBe(403)
    const path = `/v1/units/${ingested.units[0].unit_id}`
    expect((await app.call('GET', path, { token, scope: 't' })).status).toBe(403)
    expect((await app.call('GET', '/v1/compaction', { token, scope: 't' })).status).toBe(403)
    expect((await app.call('GET', '/v1/catalog/stats', { token, scope: 't' })).status).toBe(200)
    // In a readable scope nothing changes.
    const inside = await app.call('GET', '/v1/context', { token, scope: 't/a' })
    expect(inside.body.effective_scopes).toEqual(['t/a', 't/a/b', 't/a/c'])
    const log = await app.call('GET', '/v1/audit?limit=100', { token, scope: 't' })
    const targets = log.body.rows.filter((row: { principal_id: string }) => row.principal_id !== 'below')
    expect(targets.map((row: { target: string }) => row.target)).toEqual([])
  })
})

describe('an empty selector', () => {
  const update = 'mutation ($ids: [String!]) { deleteUnits(input: { ids: $ids }) { matched } }'
  const context = '{ context { effectiveScopes } }'

  it.each([
    ['X-Svc-Scope', '', { 'x-svc-scope': '' }],
    ['?scope=', '?scope=', {}],
    ['?scope= beside a header', '?scope=', { 'x-svc-scope': 't' }],
    ['X-Svc-Scope beside a query', '?scope=t', { 'x-svc-scope': '' }],
    ['X-Svc-Namespace', '', { 'x-svc-namespace': '' }],
  ])('is 400 everywhere: %s', async (_, query, headers) => {
    const { body: ingested } = await ingest(keeper, [{ text: 'stays', scope: 'u' }])
    const ids = [ingested.units[0].unit_id]
    const routes: [string, string, object | undefined][] = [
      ['GET', '/v1/context', undefined],
      ['GET', '/v1/units', undefined],
      ['POST', '/v1/search', { q: 'ferry' }],
      ['POST', '/v1/ingest', { units: [{ text: 'one', scope: 'u' }] }],
      ['POST', '/v1/units:delete', { ids }],
      ['GET', '/v1/catalog/stats', undefined],
    ]
    for (const token of [keeper, superAdminToken]) {
      for (const [method, path, body] of routes) {
        const reply = await app.call(method, `${path}${query}`, { token, headers, ...(body && { body }) })
        expect([path, reply.status, reply.body.error]).toEqual([path, 400, 'bad_request'])
        expect(reply.body.detail).toContain('must not be empty')
      }
      for (const [document, variables] of [
        [context, {}],
        [update, { ids }],
      ] as const) {
        const body = { query: document, variables }
        const reply = await app.call('POST', `/graphql${query}`, { token, headers, body })
        expect(reply.body.errors[0].extensions.status).toBe(400)
      }
    }
    expect(await textsOf('u')).toContain('stays')
    expect((await app.call('GET', `/v1/context${query}`, { headers })).status).toBe(401)
  })

  it('is 400 in bodies', async () => {
    const post = (path: string, body: object) => app.call('POST', path, { token: keeper, body })
    for (const reply of [
      await post('/v1/search', { q: 'ferry', scope: '' }),
      await post('/v1/answer', { q: 'ferry', scope: '' }),
      await post('/v1/ingest', { units: [{ text: 'one', scope: '' }] }),
      await post('/v1/units:delete', { filter: { scope: '' } }),
      await post('/v1/scopes', { scope: '' }),
      await post('/v1/grants', { principal_id: 'keeper', scope: '', perms: ['read'] }),
      await post('/v1/principals', { active_scope: '' }),
    ]) {
      expect(reply.body).toMatchObject({ status: 400, detail: expect.stringContaining('scope') })
    }
  })
})

describe('writes below the requested scope', () => {
  it.each([
    ['with read above', [{ scope: 't', perms: ['read'] as const }]],
    ['without', []],
  ])('need write only where they write, %s', async (name, more) => {
    const id = `writer-${more.length}`
    const grants = [...more, { scope: 't/a/b', perms: ['read', 'write'] as const }]
    const token = await app.principal({ id, namespace, grants })
    const written = await ingest(token, [{ text: `${name} below`, scope: 't/a/b' }], { scope: 't' })
    expect(written.body).toMatchObject({ counts: { created: 1 } })
    // All or nothing: one Unit without a writable scope fails the batch.
    for (const scope of [undefined, 't', 't/a', 't/a/c', 'u']) {
      const units = [
        { text: 'no', scope: 't/a/b' },
        { text: 'no', ...(scope && { scope }) },
      ]
      expect((await ingest(token, units, { scope: 't' })).status).toBe(403)
    }
    expect((await ingest(token, [{ text: 'no' }], { scope: 'u' })).status).toBe(403)
    expect(await textsOf('t')).toContain(`${name} below`)
    expect(await textsOf('t')).not.toContain('no')

    const remove = (body: object, scope: string) => app.call('POST', '/v1/units:delete', { token, scope, body })
    await ingest(keeper, [{ text: 'kept above', scope: 't/a', acl_groups: ['*'] }])
    expect((await remove({ filter: { modality: 'text' } }, 'u')).status).toBe(403)
    expect((await remove({ filter: { modality: 'text', scope: 't/a/c' } }, 't')).status).toBe(403)
    const unitId = written.body.units[0].unit_id
    const query =
      'mutation ($id: String!) { updateUnit(unitId: $id, input: { metadata: { n: 1 } }) { unit { unitId } } }'
    const updated = await app.graphql(query, { id: unitId }, { token, scope: 't' })
    expect(updated.body.data).toEqual({ updateUnit: { unit: { unitId } } })
    expect((await remove({ filter: { modality: 'text', scope: 't/a' } }, 't')).body).toMatchObject({ matched: 1 })
    const restore = 'mutation ($ids: [String!]!) { restoreUnits(ids: $ids) { restored } }'
    const restored = await app.graphql(restore, { ids: [unitId] }, { token, scope: 't' })
    expect(restored.body.data).toEqual({ restoreUnits: { restored: 1 } })
    expect((await remove({ filter: { modality: 'text' } }, 't')).body).toMatchObject({ matched: 1 })
    expect(await textsOf('t')).toContain('kept above')
  })
})

describe('a Unit without a scope, under *', () => {
  it('goes to the only registered scope that is writable', async () => {
    const grants = [
      { scope: 'u', perms: ['read', 'write'] as const },
      { scope: 't', perms: ['read'] as const },
    ]
    const token = await app.principal({ id: 'one', namespace, grants })
    expect((await ingest(token, [{ text: 'to u' }])).body.units[0].scope).toBe('u')
    expect((await ingest(token, [{ text: 'to u' }], { scope: '*' })).body.units[0].scope).toBe('u')
  })

  it('goes to the active scope, if that is a path', async () => {
    const grants = [{ scope: '*', perms: ['read', 'write'] as const }]
    const token = await app.principal({ id: 'active', namespace, grants, activeScope: 't/a' })
    expect((await ingest(token, [{ text: 'to t/a' }], { scope: '*' })).body.units[0].scope).toBe('t/a')
  })

  it('is 400 with several, naming the header and the writable scopes that the caller sees', async () => {
    const grants = [
      { scope: 't/a', perms: ['read', 'write'] as const },
      { scope: 'u', perms: ['read'] as const },
    ]
    const token = await app.principal({ id: 'several', namespace, grants })
    const { body } = await ingest(token, [{ text: 'one', scope: 't/a' }, { text: 'where' }])
    expect(body).toMatchObject({ status: 400, error: 'bad_request' })
    expect(body.detail).toMatch(/^units\[1\]\.scope: .*X-Svc-Scope.*: t\/a, t\/a\/b, t\/a\/c$/)
    expect((await ingest(token, [{ text: 'where' }], { scope: 't/a' })).status).toBe(200)
  })

  it('is 400 where none is registered, and 403 where nothing is writable', async () => {
    const empty = await app.principal({ id: 'empty', namespace: 'empty' })
    const { body } = await ingest(empty, [{ text: 'where' }])
    expect(body).toMatchObject({ status: 400, detail: expect.stringContaining('X-Svc-Scope') })
    const reader = await app.principal({ id: 'reader', namespace, grants: [{ scope: '*', perms: ['read'] }] })
    expect((await ingest(reader, [{ text: 'where' }])).status).toBe(403)
  })
})
