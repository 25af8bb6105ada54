import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const run = Date.now().toString(36)
const named = (name: string) => `${name}-${run}`
const any = { string: expect.any(String), number: expect.any(Number) }
const refusal = (status: number, error: string) => ({ error, detail: any.string, status })

const inNamespace = (name: string | undefined): { headers: Record<string, string> } => ({
  headers: name === undefined ? {} : { 'x-svc-namespace': name },
})
const get = (path: string, token: string, namespace?: string) =>
  service.call('GET', path, { token, ...inNamespace(namespace) })
const post = (path: string, token: string, body: unknown, namespace?: string) =>
  service.call('POST', path, { token, body, ...inNamespace(namespace) })
const remove = (path: string, token: string, namespace?: string) =>
  service.call('DELETE', path, { token, ...inNamespace(namespace) })
const claim = (token: string, namespace: string) => post('/v1/namespaces', token, { namespace })

describe('principals', () => {
  it('are made with a token, listed, read and deleted', async () => {
    const { admin } = service.tokens
    const input = {
      name: 'robot-1',
      kind: 'agent',
      groups: ['backend'],
      read_only: true,
      active_scope: 'harbor/backend',
    }
    const { status, body } = await post('/v1/principals', admin, input)
    expect(body).toEqual({
      principal_id: expect.stringMatching(/^principal_\w{22}$/),
      namespace: 'demo',
      kind: 'agent',
      groups: ['backend'],
      read_only: true,
      active_scope: 'harbor/backend',
      created_at: any.number,
      token: expect.stringMatching(/^svc_sk_robot-1_[A-Za-z0-9]{32}$/),
    })
    expect(status).toBe(200)
    const { token, ...record } = body
    const path = `/v1/principals/${record.principal_id}`
    expect((await get(path, admin)).body).toEqual(record)
    const list = await get('/v1/principals', admin)
    expect(Object.keys(list.body)).toEqual(['principals'])
    expect(list.body.principals).toContainEqual(record)

    // It holds no grants yet.
    const context = await get('/v1/context', token)
    expect(context.body).toMatchObject({ principal: { principal_id: record.principal_id }, perms: [] })
    const grant = { principal_id: record.principal_id, scope: 'harbor/backend', perms: ['read'] }
    expect((await post('/v1/grants', admin, grant)).status).toBe(200)
    expect((await get('/v1/units', token)).status).toBe(200)

    expect((await remove(path, admin)).body).toEqual({ deleted: true, tokens: 1, grants: 1 })
    expect((await get('/v1/context', token)).status).toBe(401)
    expect((await get(path, admin)).body).toEqual(refusal(404, 'not_found'))
    expect((await remove(path, admin)).status).toBe(404)
    expect((await get('/v1/principals', admin)).body.principals).not.toContainEqual(record)
    expect((await post('/v1/grants', admin, grant)).body.detail).toMatch(/^principal_id: /)
  })

  it('have defaults', async () => {
    const { body } = await post('/v1/principals', service.tokens.admin, {})
    expect(body).toMatchObject({ kind: 'user', groups: [], read_only: false, active_scope: '*' })
    expect(body.token).toMatch(/^svc_sk_user_/)
    expect((await remove(`/v1/principals/${body.principal_id}`, service.tokens.admin)).status).toBe(200)
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(129) }, 'name'],
    [{ kind: 'robot' }, 'kind'],
    [{ groups: ['a', 'a'] }, 'groups'],
    [{ groups: [''] }, 'groups[0]'],
    [{ read_only: 'yes' }, 'read_only'],
    [{ active_scope: 'a//b' }, 'active_scope'],
    [{ principal_id: 'mine' }, 'principal_id'],
  ])('%j is refused', async (input, names) => {
    const { status, body } = await post('/v1/principals', service.tokens.admin, input)
    expect(status).toBe(400)
    expect(body.detail.startsWith(`${names}: `)).toBe(true)
  })

  it("get only groups of the admin's own, unless it owns the namespace", async () => {
    const { admin, enterprise } = service.tokens
    expect((await post('/v1/principals', admin, { groups: ['backend', 'board'] })).body).toEqual(
      refusal(403, 'forbidden'),
    )
    await claim(enterprise, named('owned'))
    const made = await post('/v1/principals', enterprise, { groups: ['board'] }, named('owned'))
    expect(made.body).toMatchObject({ namespace: named('owned'), groups: ['board'] })
    // One of another home is not found for any caller.
    expect((await get(`/v1/principals/${made.body.principal_id}`, enterprise)).status).toBe(404)
  })

  it('concern admins alone', async () => {
    for (const token of [service.tokens.readonly, service.tokens.pro]) {
      for (const [method, path] of [
        ['GET', '/v1/principals'],
        ['POST', '/v1/principals'],
        ['GET', '/v1/principals/demo-admin'],
        ['DELETE', '/v1/principals/nobody'],
        ['GET', '/v1/grants'],
        ['POST', '/v1/grants'],
        ['GET', '/v1/grants/nothing'],
        ['DELETE', '/v1/grants/nothing'],
      ] as const) {
        const input = path.includes('grants') ? { principal_id: 'demo-admin', scope: '*', perms: ['read'] } : {}
        const { body } = await service.call(method, path, { token, ...(method === 'POST' ? { body: input } : {}) })
        expect(body, `${method} ${path}`).toEqual(refusal(403, 'forbidden'))
      }
    }
  })
})

describe('grants', () => {
  it('are made, listed, read and deleted; each counts from the next request on', async () => {
    const { admin, pro } = service.tokens
    const input = { principal_id: 'pro-user', scope: 'harbor/backend', perms: ['read'], groups: ['backend'] }
    const { status, body: grant } = await post('/v1/grants', admin, input)
    expect(grant).toEqual({
      ...input,
      id: any.string,
      namespace: 'demo',
      granted_by: 'demo-admin',
      created_at: any.number,
    })
    expect(status).toBe(200)
    expect((await get(`/v1/grants/${grant.id}`, admin)).body).toEqual(grant)
    const list = await get('/v1/grants', admin)
    expect(Object.keys(list.body)).toEqual(['grants'])
    expect(list.body.grants.at(-1)).toEqual(grant)
    expect((await get('/v1/namespaces', pro)).body.namespaces.map((n: { namespace: string }) => n.namespace)).toContain(
      'demo',
    )
    expect((await get('/v1/units', pro, 'demo')).body.units.length).toBeGreaterThan(0)

    expect((await remove(`/v1/grants/${grant.id}`, admin)).body).toEqual({ deleted: true })
    expect((await get('/v1/units', pro, 'demo')).body).toEqual(refusal(403, 'forbidden'))
    expect((await get(`/v1/grants/${grant.id}`, admin)).body).toEqual(refusal(404, 'not_found'))
    expect((await remove(`/v1/grants/${grant.id}`, admin)).status).toBe(404)
  })

  const grant = { principal_id: 'pro-user', scope: 'harbor', perms: ['read'] }
  it.each([
    [{ ...grant, principal_id: 'nobody' }, 'principal_id'],
    [{ ...grant, principal_id: undefined }, 'principal_id'],
    [{ ...grant, scope: '../x' }, 'scope'],
    [{ ...grant, scope: undefined }, 'scope'],
    [{ ...grant, perms: [] }, 'perms'],
    [{ ...grant, perms: ['read', 'read'] }, 'perms'],
    [{ ...grant, perms: ['own'] }, 'perms[0]'],
    [{ ...grant, groups: 'backend' }, 'groups'],
    [{ ...grant, namespace: 'pro' }, 'namespace'],
  ])('%j is refused', async (input, names) => {
    const { status, body } = await post('/v1/grants', service.tokens.admin, input)
    expect(status).toBe(400)
    expect(body.detail.startsWith(`${names}: `)).toBe(true)
  })

  it('give no more than the granter holds', async () => {
    const { admin } = service.tokens
    expect((await post('/v1/grants', admin, { ...grant, groups: ['board'] })).body).toEqual(refusal(403, 'forbidden'))
    // An admin that may not read.
    const { body: clerk } = await post('/v1/principals', admin, { name: 'clerk' })
    await post('/v1/grants', admin, { principal_id: clerk.principal_id, scope: '*', perms: ['admin'] })
    expect((await post('/v1/grants', clerk.token, grant)).body).toEqual(refusal(403, 'forbidden'))
    const own = { principal_id: clerk.principal_id, scope: 'harbor', perms: ['write'] }
    expect((await post('/v1/grants', clerk.token, own)).status).toBe(403)
    expect((await post('/v1/grants', clerk.token, { ...own, perms: ['admin'] })).status).toBe(200)
    expect((await remove(`/v1/principals/${clerk.principal_id}`, admin)).body).toMatchObject({ grants: 2 })
  })
})
