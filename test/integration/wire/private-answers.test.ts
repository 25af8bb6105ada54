import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let admin: string
let readonly: string
beforeAll(async () => {
  app = await boot()
  ;({ admin, readonly } = (await app.call('POST', '/v1/admin/seed')).body.tokens)
})
afterAll(() => app.close())

describe('an answer to a credential', () => {
  it.each([
    ['GET', '/v1/context', 200],
    ['HEAD', '/v1/context', 200],
    ['GET', '/v1/units/none', 404],
    ['POST', '/v1/search', 400],
    ['GET', '/v1/none', 404],
    ['POST', '/graphql', 400],
    ['POST', '/mcp', 406],
    ['GET', '/mcp', 405],
    ['GET', '/api/auth/get-session', 200],
  ])('is for its caller only: %s %s', async (method, path, status) => {
    const { status: got, headers } = await app.call(method, path, {
      token: admin,
      ...(method === 'POST' && { body: '{' }),
    })
    expect(got).toBe(status)
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(headers.get('vary')).toMatch(/^Authorization, Cookie, X-Svc-Namespace, X-Svc-Scope(, Accept-Encoding)?$/)
  })

  it('of 401 and 403 too', async () => {
    for (const [token, namespace, status] of [
      ['svc_sk_no', '', 401],
      [admin, 'other', 403],
    ] as const) {
      const reply = await app.call('GET', '/v1/context', { token, ...(namespace && { namespace }) })
      expect(reply.status).toBe(status)
      expect(reply.headers.get('cache-control')).toBe('private, no-store')
      expect(reply.headers.get('vary')).toMatch(/^Authorization, Cookie/)
    }
  })
})

describe('a tag', () => {
  const get = (path: string, known?: string, token = admin, method = 'GET') =>
    app.call(method, path, { token, headers: known === undefined ? {} : { 'if-none-match': known } })
  const rows = async () => (await app.call('GET', '/v1/audit?limit=1', { token: admin })).body.count

  it('of one thing answers 304 until the thing changes, and the read is recorded', async () => {
    const [unit] = (await get('/v1/units?limit=1')).body.units
    const [grant] = (await get('/v1/grants')).body.grants
    const [principal] = (await get('/v1/principals')).body.principals
    const [scope] = (await get('/v1/scopes')).body.scopes
    const paths = [
      `/v1/units/${unit.unit_id}`,
      `/v1/scopes/${encodeURIComponent(scope.scope)}`,
      '/v1/namespaces/demo',
      `/v1/grants/${grant.id}`,
      `/v1/principals/${principal.principal_id}`,
    ]
    for (const path of paths) {
      const first = await get(path)
      const etag = `${first.headers.get('etag')}`
      expect(etag).toMatch(/^W\/"[\w-]{27}"$/)
      for (const known of [etag, etag.slice(2), '*', `"a", W/"b" ,${etag}`]) {
        const again = await get(path, known)
        expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag])
        expect(again.headers.get('cache-control')).toBe('private, no-store')
        expect(again.headers.get('content-type')).toBeNull()
      }
      expect((await get(path, '"a", W/"b"')).status).toBe(200)
      expect((await get(path, etag, admin, 'HEAD')).status).toBe(304)
    }
    const before = await rows()
    const path = `/v1/units/${unit.unit_id}`
    const etag = `${(await get(path)).headers.get('etag')}`
    expect((await get(path, etag)).status).toBe(304)
    await expect.poll(async () => (await rows()) - before).toBeGreaterThanOrEqual(2)
    await app.graphql(
      'mutation ($unitId: String!) { updateUnit(unitId: $unitId, input: { metadata: { x: "y" } }) { seq } }',
      { unitId: unit.unit_id },
      { token: admin },
    )
    expect((await get(path, etag)).status).toBe(200)
  })

  it('tells nothing to a caller without access', async () => {
    const [unit] = (await app.call('GET', '/v1/units?limit=1', { token: admin, scope: 'harbor/finance' })).body.units
    const path = `/v1/units/${unit.unit_id}`
    expect((await get(path, '*', 'svc_sk_none')).status).toBe(401)
    const [hidden, unknown] = [await get(path, '*', readonly), await get('/v1/units/none', '*', readonly)]
    expect([hidden.status, hidden.body]).toEqual([unknown.status, unknown.body])
    expect(hidden.status).toBe(404)
    expect(hidden.headers.get('etag')).toBeNull()
    expect((await get('/v1/units?limit=1')).headers.get('etag')).toBeNull()
  })
})
