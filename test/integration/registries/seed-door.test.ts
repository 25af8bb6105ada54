import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

const allowed = 'https://pages.test'
const publicOrigin = 'https://search.test'
const evil = 'http://evil.example'

let app: TestApp
beforeAll(async () => {
  app = await boot({ config: { allowedOrigins: [allowed], publicOrigin } })
})
afterAll(() => app.close())

const post = (headers: Record<string, string>, body?: string, token?: string) =>
  app.call('POST', '/v1/admin/seed', {
    headers,
    ...(body !== undefined && { body }),
    ...(token !== undefined && { token }),
  })
const mutate = (headers: Record<string, string>, token?: string) =>
  app.graphql('mutation { seed { tokens } }', {}, { headers, ...(token !== undefined && { token }) })
const isOpen = async () => !(await app.runtime.bindings.catalog.access.hasPrincipals())

const firstRun = async () => (await app.graphql('{ signInOptions { firstRun } }', {})).body.data.signInOptions.firstRun

const foreign: Record<string, string>[] = [
  { origin: evil },
  { origin: evil, 'content-type': 'text/plain' },
  { origin: evil, 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'http://sub.localhost', 'sec-fetch-site': 'same-site' },
  { origin: 'null' },
  { origin: 'http://localhost:8787' },
  { origin: evil, host: 'evil.example' },
]
const own: Record<string, string>[] = [
  {},
  { origin: 'http://localhost' },
  { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: allowed, 'sec-fetch-site': 'cross-site' },
  { origin: publicOrigin },
  { origin: 'http://127.0.0.1:8787', host: '127.0.0.1:8787' },
]

describe('seeding', () => {
  it('is refused to pages of other origins, the open first run and the super-admin included', async () => {
    for (const headers of foreign) {
      for (const token of [undefined, superAdminToken]) {
        const reply = await post(headers, undefined, token)
        expect([reply.status, reply.body.error], JSON.stringify(headers)).toEqual([403, 'forbidden'])
        const { 'content-type': _, ...others } = headers
        const { body } = await mutate(others, token)
        expect([body.data?.seed ?? null, body.errors[0].extensions.status]).toEqual([null, 403])
      }
      expect((await post(headers, 'not JSON')).status).toBe(403)
    }
    expect([await isOpen(), await firstRun()]).toEqual([true, true])
  })

  it('refuses a body that is broken or says something, before it asks who is calling', async () => {
    const bodies: [string, string][] = [
      ['{', 'the body must be valid JSON'],
      ['[]', 'the body must be a JSON object'],
      ['"x"', 'the body must be a JSON object'],
      ['{"force": true}', 'force: unknown field; none is allowed here'],
      ['{"input": {}}', 'input: unknown field; none is allowed here'],
    ]
    for (const [body, detail] of bodies) {
      const reply = await post({}, body)
      expect([reply.status, reply.body.detail]).toEqual([400, detail])
      expect((await post({}, body, 'svc_sk_x_00000000000000000000000000000000')).status).toBe(401)
    }
    expect(await isOpen()).toBe(true)
    const stranger = await app.principal({ id: 'stranger', namespace: 'elsewhere' })
    expect((await post({}, '{"force": true}', stranger)).status).toBe(400)
    expect((await post({}, '{}', stranger)).status).toBe(403)
  })

  it('is open to its own pages, to those of allowed origins, and to what is not a browser', async () => {
    for (const headers of own) {
      const reply = await post(headers, undefined, superAdminToken)
      expect([reply.status, Object.keys(reply.body.tokens ?? {})], JSON.stringify(headers)).toEqual([
        200,
        ['admin', 'readonly', 'free', 'pro', 'enterprise'],
      ])
    }
    expect((await post({}, '{}', superAdminToken)).status).toBe(200)
    expect(await firstRun()).toBe(false)
    expect((await mutate({ origin: publicOrigin }, superAdminToken)).body.data.seed.tokens.admin).toMatch(
      /^svc_sk_admin_/,
    )
  })

  it('leaves nothing when it fails on the way', async () => {
    const { catalog } = app.runtime.bindings
    const before = await catalog.access.membership('demo-admin', 'demo', 0)
    const { tokens } = (await post({}, undefined, superAdminToken)).body
    // Without write permission the last step, the content, fails.
    const [grant] = before?.target?.grants ?? []
    const namespaceId = before?.target?.namespace.id ?? ''
    await catalog.provision(async (tx) => {
      await tx.removeGrant(namespaceId, grant?.id ?? '')
      await tx.insertGrant(namespaceId, {
        ...{ id: 'lesser', principalId: 'demo-admin', scope: '*', perms: ['read'], groups: [] },
        ...{ grantedBy: 'test', createdAt: 1, expiresAt: null },
      })
    })
    expect((await post({}, undefined, superAdminToken)).status).toBe(403)
    // The previous tokens still work, so nothing was committed.
    expect((await app.call('GET', '/v1/context', { token: tokens.admin })).status).toBe(200)
  })
})
