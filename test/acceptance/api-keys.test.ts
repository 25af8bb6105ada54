import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Service, startService } from './service.ts'

let service: Service
let admin: string
beforeAll(async () => {
  service = await startService()
  admin = service.tokens.admin
})
afterAll(() => service.stop())

const graphql = (query: string, variables: object, token?: string) =>
  service.call('POST', '/graphql', { token, body: { query, variables } })
const create = (input: object, token: string | undefined = admin) =>
  graphql(
    `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) {
      token key { id name createdAt lastUsedAt expiresAt perms scopePrefix planes groups } } }`,
    { input },
    token,
  )
const list = (token: string | undefined = admin) => graphql('{ apiKeys { keys { id name } } }', {}, token)
const revoke = (id: string, token: string | undefined = admin) =>
  graphql('mutation ($id: String!) { revokeApiKey(id: $id) { revoked id } }', { id }, token)
const explain = (args: string, token: string | undefined = admin) =>
  graphql(`{ explainAccess(${args}) { principalId read { allowed } write { allowed } } }`, {}, token)
const extensions = ({ body }: Answer) => body.errors?.[0]?.extensions

describe('an API key', () => {
  it('works as its principal within its restrictions, until it is revoked', async () => {
    const expiresAt = Date.now() + 3_600_000
    const input = { name: 'ci-1', perms: ['read'], scopePrefix: 'harbor/backend', planes: ['text'], expiresAt }
    const { body } = await create({ ...input, groups: ['backend'] })
    const { key, token } = body.data.createApiKey
    expect(token).toMatch(/^\w+_sk_ci-1_[A-Za-z0-9]{32}$/)
    expect(key).toMatchObject({ ...input, groups: ['backend'], lastUsedAt: null, id: expect.any(String) })
    expect(Math.abs(key.createdAt - Date.now())).toBeLessThan(600_000)

    const context = await service.call('GET', '/v1/context', { token })
    expect(context.body.principal).toMatchObject({ principal_id: 'demo-admin', groups: ['backend'] })
    expect(context.body.allowed_scopes).not.toHaveLength(0)
    for (const scope of context.body.allowed_scopes) expect(scope).toMatch(/^harbor\/backend(\/|$)/)
    const search = await service.call('POST', '/v1/search', { token, body: { q: 'ferry', top_k: 50 } })
    expect(search.body.hits).not.toHaveLength(0)
    for (const { plane, scope } of search.body.hits) {
      expect([plane, scope]).toEqual(['text', expect.stringMatching(/^harbor\/backend(\/|$)/)])
    }
    const write = { token, headers: { 'x-svc-scope': 'harbor/backend' }, body: { units: [{ text: 'x' }] } }
    expect((await service.call('POST', '/v1/ingest', write)).status).toBe(403)

    expect((await list()).body.data.apiKeys.keys).toContainEqual({ id: key.id, name: 'ci-1' })
    expect((await revoke(key.id)).body.data.revokeApiKey).toEqual({ revoked: true, id: key.id })
    expect((await service.call('GET', '/v1/context', { token })).status).toBe(401)
    expect((await list()).body.data.apiKeys.keys).not.toContainEqual({ id: key.id, name: 'ci-1' })
    expect(extensions(await revoke(key.id))).toMatchObject({ code: 'not_found', status: 404 })
  })

  it.each([
    ['no name', { expiresAt: null }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of 33 characters', { name: 'x'.repeat(33) }, 'name'],
    ['an underscore in the name', { name: 'a_b' }, 'name'],
    ['a line break in the name', { name: 'ab\n' }, 'name'],
    ['an expiry that is past', { name: 'x', expiresAt: 1 }, 'expiresAt'],
    ['an expiry that is not an integer', { name: 'x', expiresAt: 1e15 + 0.5 }, 'expiresAt'],
    ['an expiry beyond 53 bits', { name: 'x', expiresAt: 2 ** 53 }, 'expiresAt'],
    ['no permission at all', { name: 'x', perms: [] }, 'perms'],
    ['a repeated permission', { name: 'x', perms: ['read', 'read'] }, 'perms'],
    ['an unknown permission', { name: 'x', perms: ['own'] }, 'perms'],
    ['a prefix that is not a path', { name: 'x', scopePrefix: 'a//b' }, 'scopePrefix'],
    ['everything as a prefix', { name: 'x', scopePrefix: '*' }, 'scopePrefix'],
    ['no plane at all', { name: 'x', planes: [] }, 'planes'],
    ['an unknown plane', { name: 'x', planes: ['astral'] }, 'planes'],
    ['65 groups', { name: 'x', groups: Array.from({ length: 65 }, String) }, 'groups'],
    ['NUL in a group', { name: 'x', groups: ['a\0'] }, 'groups'],
    ['an unknown field', { name: 'x', colour: 'red' }, 'colour'],
  ])('is refused with %s', async (_, input, names) => {
    const before = await list()
    const refused = await create(input)
    expect(extensions(refused)).toMatchObject({ code: 'bad_request', status: 400 })
    expect(refused.body.data?.createApiKey ?? null).toBeNull()
    expect(refused.body.errors[0].message).toContain(names)
    expect((await list()).body).toEqual(before.body)
  })

  it('is nothing without a token, nor to the super-admin', async () => {
    for (const reply of [await create({ name: 'x' }, ''), await list('nonsense'), await revoke('x', 'nonsense')]) {
      expect(reply.status).toBe(401)
    }
    for (const call of [list, (token: string) => create({ name: 'x' }, token)]) {
      expect(extensions(await call(service.superAdmin))).toMatchObject({ code: 'forbidden', status: 403 })
    }
  })

  it('of another principal is not found', async () => {
    const { body } = await create({ name: 'mine' }, service.tokens.readonly)
    const { id } = body.data.createApiKey.key
    const [foreign, unknown] = [await revoke(id), await revoke('key_0000000000000000000000')]
    expect(foreign.body).toEqual(unknown.body)
    expect(extensions(unknown)).toMatchObject({ code: 'not_found', status: 404 })
    expect((await service.call('GET', '/v1/context', { token: body.data.createApiKey.token })).status).toBe(200)
  })
})

describe('explainAccess', () => {
  it('tells an admin what a principal may do', async () => {
    const about = (scope: string) => explain(`principalId: "demo-readonly", scope: "${scope}"`)
    const verdicts = (read: boolean) => ({
      data: { explainAccess: { principalId: 'demo-readonly', read: { allowed: read }, write: { allowed: false } } },
    })
    expect((await about('harbor/backend')).body).toMatchObject(verdicts(true))
    expect((await about('harbor/finance')).body).toMatchObject(verdicts(false))
  })

  it('tells others nothing', async () => {
    const asked = 'principalId: "demo-readonly", scope: "*"'
    expect(extensions(await explain(asked, service.tokens.readonly))).toMatchObject({ status: 403 })
    expect(extensions(await explain('principalId: "pro-user", scope: "*"'))).toMatchObject({ status: 404 })
    expect(extensions(await explain('principalId: "demo-readonly"'))).toMatchObject({ status: 400 })
  })
})
