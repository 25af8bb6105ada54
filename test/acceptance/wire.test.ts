import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const any = {
  string: expect.any(String),
  number: expect.any(Number),
  boolean: expect.any(Boolean),
  array: expect.any(Array),
}
const get = (path: string, token?: string, headers: Record<string, string> = {}) =>
  service.call('GET', path, { token, headers })
const post = (path: string, token: string, body: unknown, headers: Record<string, string> = {}) =>
  service.call('POST', path, { token, body, headers })
const refusal = (status: number, error: string) => ({ error, detail: any.string, status })
const context = {
  principal: { principal_id: any.string, namespace: any.string, read_only: any.boolean, groups: any.array },
  active_scope: any.string,
  requested_scope: any.string,
  effective_scopes: any.array,
  allowed_scopes: any.array,
  perms: any.array,
  folders_visible: any.number,
  folders_total: any.number,
}

describe('health', () => {
  it('is public, even with a bad token', async () => {
    for (const token of [undefined, 'nonsense']) {
      const { status, body, headers } = await get('/v1/health', token)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toMatch(/^application\/json/)
      expect(body).toEqual({
        status: 'ok',
        service: any.string,
        version: any.string,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        bindings: {
          catalog: any.string,
          vector_index: [any.string, any.string, any.string, any.string],
          object_store: any.string,
          key_value: any.string,
          inference: true,
        },
      })
    }
  })
})

describe('context', () => {
  it('describes the admin', async () => {
    const { status, body } = await get('/v1/context', service.tokens.admin)
    expect(status).toBe(200)
    expect(body).toEqual(context)
    expect(body).toMatchObject({ active_scope: '*', requested_scope: '*', perms: ['read', 'write', 'admin'] })
  })

  it('describes the read-only principal: one scope, one group, one permission', async () => {
    const { body } = await get('/v1/context', service.tokens.readonly)
    expect(body).toMatchObject({
      principal: { read_only: true, groups: ['backend'] },
      effective_scopes: ['harbor/backend'],
      perms: ['read'],
      folders_visible: 1,
    })
    expect(body.folders_total).toBeGreaterThan(1)
  })

  it('binds a requested scope, by header before query', async () => {
    const header = { 'x-svc-scope': 'harbor/finance' }
    const { body } = await get('/v1/context?scope=harbor%2Fbackend', service.tokens.admin, header)
    expect(body).toMatchObject({ active_scope: 'harbor/finance', effective_scopes: ['harbor/finance'] })
    const query = await get('/v1/context?scope=harbor%2Fbackend', service.tokens.admin)
    expect(query.body.active_scope).toBe('harbor/backend')
  })

  it('says so when no grant covers the requested scope; data routes answer 403', async () => {
    const header = { 'x-svc-scope': 'harbor/finance' }
    const { status, body } = await get('/v1/context', service.tokens.readonly, header)
    expect(status).toBe(200)
    expect(body).toMatchObject({ requested_scope: 'harbor/finance', effective_scopes: [], perms: [] })
    expect((await get('/v1/units', service.tokens.readonly, header)).body).toEqual(refusal(403, 'forbidden'))
    expect((await post('/v1/search', service.tokens.readonly, { q: 'x' }, header)).status).toBe(403)
  })

  it('refuses namespaces that were not granted, existing or not, alike', async () => {
    const [real, unreal] = await Promise.all(
      ['pro', 'no-such-namespace'].map((ns) => get('/v1/context', service.tokens.admin, { 'x-svc-namespace': ns })),
    )
    expect(real?.body).toEqual(refusal(403, 'forbidden'))
    expect(real?.body).toEqual(unreal?.body)
  })

  it('lets the super-admin into every namespace, demo by default', async () => {
    const home = await get('/v1/context', service.superAdmin)
    expect(home.body).toMatchObject({ principal: { read_only: false }, perms: ['read', 'write', 'admin'] })
    expect((await get('/v1/catalog/stats', service.superAdmin)).body.namespace).toBe('demo')
    const pro = await get('/v1/catalog/stats', service.superAdmin, { 'x-svc-namespace': 'pro' })
    expect(pro.body.namespace).toBe('pro')
  })

  it('echoes a sane request id and mints one otherwise', async () => {
    const sane = await get('/v1/context', service.tokens.admin, { 'x-request-id': 'abc-123' })
    expect(sane.headers.get('x-request-id')).toBe('abc-123')
    const odd = await get('/v1/nowhere', undefined, { 'x-request-id': 'a b;c' })
    expect(odd.headers.get('x-request-id')).toMatch(/^[\w.-]{8,}$/)
  })
})

describe('scopes', () => {
  const record = {
    scope: any.string,
    namespace: 'demo',
    parent: null,
    planes: ['text', 'visual', 'audio', 'doc_visual'],
    read_only_agents: false,
    created_at: any.number,
  }

  it('lists what the caller may see', async () => {
    const admin = await get('/v1/scopes', service.tokens.admin)
    expect(Object.keys(admin.body)).toEqual(['scopes'])
    expect(admin.body.scopes).toContainEqual(record)
    const readonly = await get('/v1/scopes', service.tokens.readonly)
    expect(readonly.body.scopes.map((s: { scope: string }) => s.scope)).toEqual(['harbor/backend'])
  })

  it('creates, grants nothing twice, gets with an encoded slash, and deletes', async () => {
    const { admin, readonly } = service.tokens
    const created = await post('/v1/scopes', admin, { scope: 'lab/one' })
    expect(created.body).toEqual({ ...record, scope: 'lab/one' })
    expect((await post('/v1/scopes', admin, { scope: 'lab/one' })).body).toEqual(refusal(400, 'bad_request'))
    expect((await post('/v1/scopes', readonly, { scope: 'harbor/backend/x' })).status).toBe(403)
    expect((await get('/v1/scopes/lab%2Fone', admin)).body).toEqual({ ...record, scope: 'lab/one' })
    expect((await get('/v1/scopes/lab/one', admin)).status).toBe(404)
    const hidden = await get('/v1/scopes/lab%2Fone', readonly)
    expect(hidden.body).toEqual(refusal(404, 'not_found'))
    expect(hidden.body).toEqual((await get('/v1/scopes/lab%2Fnone', readonly)).body)
    expect((await service.call('DELETE', '/v1/scopes/lab%2Fone', { token: readonly })).status).toBe(403)
    const deleted = await service.call('DELETE', '/v1/scopes/lab%2Fone', { token: admin })
    expect(deleted.body).toEqual({ deleted: true, scopes: 1, grants: 1 })
    expect((await service.call('DELETE', '/v1/scopes/lab%2Fone', { token: admin })).status).toBe(404)
  })

  it('hides the Units of a deleted scope at once, and for good', async () => {
    const { enterprise } = service.tokens
    const header = { 'x-svc-scope': 'gone/soon' }
    const units = [{ text: 'vanishing quokka', acl_groups: ['*'] }]
    const { body } = await post('/v1/ingest', enterprise, { units }, header)
    expect((await service.call('DELETE', '/v1/scopes/gone', { token: enterprise })).status).toBe(404)
    await service.call('DELETE', '/v1/scopes/gone%2Fsoon', { token: enterprise })
    await post('/v1/scopes', enterprise, { scope: 'gone/soon' })
    expect((await get(`/v1/units/${body.units[0].unit_id}`, enterprise)).status).toBe(404)
    expect((await post('/v1/search', enterprise, { q: 'quokka' })).body.hits).toEqual([])
  })
})

describe('catalog and compaction', () => {
  it('gives statistics', async () => {
    const { body } = await get('/v1/catalog/stats', service.tokens.readonly)
    const plane = { model: any.string, dims: any.number, metric: 'cosine', vectors: any.number }
    expect(body).toEqual({
      namespace: 'demo',
      scope: '*',
      planes: ['text', 'visual', 'audio', 'doc_visual'].map((name) => ({
        ...plane,
        plane: name,
        indexed: any.number,
        lag: 0,
        health: 'green',
      })),
      queries_per_day: any.number,
      storage: { object_store_gb: any.number, catalog_rows: 100, vectors: 100 },
    })
    await post('/v1/search', service.tokens.admin, { q: 'x' })
    expect((await get('/v1/catalog/stats', service.tokens.admin)).body.queries_per_day).toBe(body.queries_per_day + 1)
  })

  it('tells freshness to readers and reconciles for admins', async () => {
    const { admin, readonly } = service.tokens
    const fresh = await get('/v1/compaction', readonly)
    expect(fresh.body.planes[0]).toEqual({ plane: 'text', indexed: 52, pending: 0, lag: 0, health: 'green' })
    expect((await post('/v1/compaction', readonly, {})).body).toEqual(refusal(403, 'forbidden'))
    const done = await service.call('POST', '/v1/compaction', { token: admin })
    expect(done.body).toEqual({ planes: any.array, seq: any.number })
    expect(done.body.planes[0]).toEqual({ plane: 'text', added: 0, removed: 0, unchanged: 52, took_ms: any.number })
    const one = await post('/v1/compaction', admin, { planes: ['audio'] })
    expect(one.body.planes.map((p: { plane: string }) => p.plane)).toEqual(['audio'])
  })
})

describe('seeding', () => {
  it('is closed after the first run, and rotates tokens without doubling Units', async () => {
    expect((await service.call('POST', '/v1/admin/seed')).body).toEqual(refusal(401, 'unauthorized'))
    expect((await post('/v1/admin/seed', service.tokens.enterprise, {})).body).toEqual(refusal(403, 'forbidden'))
    const old = service.tokens
    const { body } = await service.call('POST', '/v1/admin/seed', { token: old.admin })
    expect(Object.keys(body)).toEqual(['principals', 'scopes', 'tokens', 'counts'])
    expect(Object.keys(body.tokens)).toEqual(['admin', 'readonly', 'free', 'pro', 'enterprise'])
    expect(body.tokens.admin).toMatch(/^svc_sk_admin_[A-Za-z0-9]{32}$/)
    expect(body.counts).toMatchObject({ units: 100, created: 0, unchanged: 100 })
    for (const token of Object.values(old)) expect((await get('/v1/context', token)).status).toBe(401)
    service.tokens = body.tokens
    expect((await get('/v1/context', service.tokens.readonly)).status).toBe(200)
  })
})

describe('what is not there', () => {
  it.each([
    ['GET', '/v1/sources/x'],
    ['PATCH', '/v1/scopes/x'],
    ['PATCH', '/v1/namespaces/x'],
    ['PATCH', '/v1/grants/x'],
    ['PATCH', '/v1/principals/x'],
    ['GET', '/v1'],
    ['GET', '/v1/units/'],
    ['GET', '/v1/health/'],
    ['GET', '/v1/units:delete'],
    ['DELETE', '/v1/units/x'],
    ['PUT', '/v1/ingest'],
    ['GET', '/'],
  ])('%s %s is 404', async (method, path) => {
    for (const token of [undefined, service.tokens.admin]) {
      const { status, body } = await service.call(method, path, { token })
      expect(body).toEqual(refusal(404, 'not_found'))
      expect(status).toBe(404)
    }
  })
})

describe('reports', () => {
  it.each(['/v1/benchmarks', '/v1/eval'])(
    '%s answers everyone who is known, whether one was published or not',
    async (path) => {
      expect((await get(path)).status).toBe(401)
      for (const token of [service.tokens.admin, service.tokens.readonly, service.tokens.free]) {
        const { status, body } = await get(path, token)
        expect(status).toBe(200)
        const generated_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
        expect(body).toEqual({ benchmarks: any.array, evals: any.array, generated_at })
      }
    },
  )
})
