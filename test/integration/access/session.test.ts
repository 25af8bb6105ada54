import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planes } from '../../../src/model/unit.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let admin: string

/** One Unit with a unique word in each scope and plane. */
const units = ['acme', 'acme/backend', 'acmeco'].flatMap((scope) =>
  (['text', 'visual'] as const).map((plane) => ({ scope, plane, text: `lighthouse ${plane}`, acl_groups: ['staff'] })),
)

beforeAll(async () => {
  app = await boot()
  admin = await app.principal({ id: 'boss', namespace: 'acme-inc', groups: ['staff'] })
  expect((await app.call('POST', '/v1/ingest', { token: admin, body: { units } })).status).toBe(200)
})
afterAll(() => app.close())

const everything = { scope: '*', perms: ['read', 'write', 'admin'] } as const
const staff = { namespace: 'acme-inc', groups: ['staff'], grants: [everything] }
const found = async (token: string) => {
  const { body } = await app.call('POST', '/v1/search', { token, body: { q: 'lighthouse', top_k: 50 } })
  return body.hits.map((hit: { scope: string; plane: string }) => `${hit.scope} ${hit.plane}`).sort()
}
const ingestStatus = async (token: string, scope: string, plane = 'text') =>
  (await app.call('POST', '/v1/ingest', { token, scope, body: { units: [{ text: 'x', plane }] } })).status

describe("a key's own restrictions only narrow", () => {
  it('perms', async () => {
    const token = await app.principal({ id: 'key-perms', ...staff, restrictions: { perms: ['read'] } })
    expect((await found(token)).length).toBe(6)
    expect(await ingestStatus(token, 'acme')).toBe(403)
    expect((await app.call('GET', '/v1/context', { token })).body.perms).toEqual(['read'])
    expect((await app.call('POST', '/v1/compaction', { token })).status).toBe(403)
  })

  it('scope prefix', async () => {
    const token = await app.principal({ id: 'key-scope', ...staff, restrictions: { scopePrefix: 'acme' } })
    expect(new Set(await found(token))).toEqual(
      new Set(['acme text', 'acme visual', 'acme/backend text', 'acme/backend visual']),
    )
    expect(await ingestStatus(token, 'acmeco')).toBe(403)
    expect(await ingestStatus(token, 'acme/new')).toBe(200)
    expect((await app.call('GET', '/v1/scopes/acmeco', { token })).status).toBe(404)
    expect((await app.call('POST', '/v1/compaction', { token })).status).toBe(403)
  })

  it('planes', async () => {
    const token = await app.principal({ id: 'key-planes', ...staff, restrictions: { planes: ['visual'] } })
    expect(await found(token)).toEqual(['acme visual', 'acme/backend visual', 'acmeco visual'])
    expect(await ingestStatus(token, 'acme', 'visual')).toBe(200)
    expect(await ingestStatus(token, 'acme', 'text')).toBe(403)
  })

  it('groups', async () => {
    const token = await app.principal({ id: 'key-groups', ...staff, restrictions: { groups: ['other'] } })
    expect(await found(token)).toEqual([])
    expect((await app.call('GET', '/v1/context', { token })).body.principal.groups).toEqual([])
  })

  it('expiry', async () => {
    const token = await app.principal({ id: 'key-old', ...staff, expiresAt: Date.now() - 1 })
    expect((await app.call('GET', '/v1/context', { token })).status).toBe(401)
  })

  it('never widens: a restriction that names more than the grants hold opens nothing', async () => {
    const grants = [{ scope: 'acme/backend', perms: ['read'] as const }]
    const restrictions = { perms: ['read', 'write', 'admin'] as const, scopePrefix: 'acme', planes }
    const token = await app.principal({ id: 'key-wide', ...staff, grants, restrictions })
    expect(await found(token)).toEqual(['acme/backend text', 'acme/backend visual'])
    expect(await ingestStatus(token, 'acme/backend')).toBe(403)
  })
})

describe('agents', () => {
  it('may only read on and below a scope that says so', async () => {
    const { catalog, random } = app.runtime.bindings
    const token = await app.principal({ id: 'robot', ...staff, kind: 'agent' })
    const membership = await catalog.access.membership('robot', undefined, 0)
    const scope = { id: random.id('scope'), scope: 'vault', parent: null, planes, readOnlyAgents: true, createdAt: 0 }
    await catalog.transact(membership?.target?.namespace.id ?? '', (tx) => tx.scopes.insert(scope))
    expect(await ingestStatus(token, 'vault')).toBe(403)
    expect(await ingestStatus(token, 'vault/below')).toBe(403)
    expect(await ingestStatus(token, 'vaults')).toBe(200)
    expect(await ingestStatus(admin, 'vault')).toBe(200)
    expect((await app.call('GET', '/v1/context', { token, scope: 'vault' })).body.perms).toEqual(['read'])
    expect((await app.call('DELETE', '/v1/scopes/vault', { token })).status).toBe(403)
  })
})

describe('foreign namespaces', () => {
  it("count the grant's groups, not the home's, and start from everything allowed", async () => {
    const grants = [{ scope: 'acme', perms: ['read'] as const, groups: ['staff'], namespace: 'acme-inc' }]
    const guest = { namespace: 'elsewhere', groups: ['other'], activeScope: 'acme/home', grants }
    const token = await app.principal({ id: 'guest', ...guest })
    const { body } = await app.call('GET', '/v1/context', { token, namespace: 'acme-inc' })
    expect(body.principal).toMatchObject({ namespace: 'elsewhere', groups: ['staff'] })
    expect(body.active_scope).toBe('*')
    expect((await app.call('GET', '/v1/context', { token })).body.active_scope).toBe('acme/home')
    const other = await app.principal({
      id: 'guest2',
      ...guest,
      groups: ['staff'],
      grants: [{ ...grants[0], scope: 'acme', perms: ['read'], groups: [] }],
    })
    const search = (t: string) =>
      app.call('POST', '/v1/search', { token: t, namespace: 'acme-inc', body: { q: 'lighthouse', top_k: 50 } })
    expect((await search(token)).body.hits.length).toBe(4)
    const { body: barred } = await search(other)
    expect(barred.hits).toEqual([])
    expect(barred.hidden_by_acl).toBeGreaterThanOrEqual(4)
  })
})
