import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planes } from '../../../src/model/unit.ts'
import { explainAccess } from '../../support/access/explain.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('a session', () => {
  let admin: string

  /** One Unit with a unique word in each scope and plane. */
  const units = ['acme', 'acme/backend', 'acmeco'].flatMap((scope) =>
    (['text', 'visual'] as const).map((plane) => ({
      scope,
      plane,
      text: `lighthouse ${plane}`,
      acl_groups: ['staff'],
    })),
  )

  beforeAll(async () => {
    admin = await app.principal({ id: 'boss', namespace: 'acme-inc', groups: ['staff'] })
    expect((await app.call('POST', '/v1/ingest', { token: admin, body: { units } })).status).toBe(200)
  })

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
})

describe('a guest', () => {
  let guest: string
  let unitIds: Record<string, string>

  const namespace = 'harbour'
  const scopes = ['a', 'a/deep', 'b', 'c', 'd']

  beforeAll(async () => {
    const keeper = await app.principal({ id: 'keeper', namespace })
    for (const scope of scopes) await app.call('POST', '/v1/scopes', { token: keeper, body: { scope } })
    guest = await app.principal({
      id: 'guest',
      namespace: 'abroad',
      groups: ['red'],
      grants: [
        { namespace, scope: 'a', perms: ['read'], groups: ['red'] },
        { namespace, scope: 'a/deep', perms: ['read', 'write'], groups: ['green'] },
        { namespace, scope: 'b', perms: ['read', 'write'], groups: [] },
        { namespace, scope: 'c', perms: ['read'], groups: ['blue'] },
        { namespace, scope: 'd', perms: ['write'], groups: ['violet'] },
      ],
    })
    const units = scopes.flatMap((scope) =>
      ['red', 'green', 'blue', 'violet'].map((group) => ({
        external_id: `${scope} ${group}`,
        scope,
        text: `the ferry of ${group}`,
        acl_groups: [group],
      })),
    )
    const reply = await app.call('POST', '/v1/ingest', { token: keeper, body: { units } })
    expect(reply.body).toMatchObject({ indexed: true, counts: { created: 20 } })
    unitIds = Object.fromEntries(
      reply.body.units.map((unit: { external_id: string; unit_id: string }) => [unit.external_id, unit.unit_id]),
    )
  })

  const ask = (method: string, path: string, options: object = {}) =>
    app.call(method, path, { token: guest, namespace, ...options })
  const idsOf = (units: { external_id: string }[]) => units.map((unit) => unit.external_id).sort()

  const open = ['a red', 'a/deep red', 'a/deep green', 'c blue'].sort()

  describe('groups of a grant', () => {
    it('open Units in the scopes that the grant covers with read, and nowhere else', async () => {
      const listed = await ask('GET', '/v1/units')
      expect(idsOf(listed.body.units)).toEqual(open)
      expect(listed.body.hidden_by_acl).toBe(12)

      const found = await ask('POST', '/v1/search', { body: { q: 'ferry', top_k: 50 } })
      expect(idsOf(found.body.hits)).toEqual(open)
      expect(found.body.hidden_by_acl).toBe(12)

      for (const [externalId, id] of Object.entries(unitIds)) {
        const { status } = await ask('GET', `/v1/units/${id}`)
        expect([externalId, status]).toEqual([externalId, open.includes(externalId) ? 200 : 404])
      }
    })

    it('are shown as they count in the requested scope', async () => {
      const groupsIn = async (scope: string) => {
        const { body } = await ask('GET', '/v1/context', { scope })
        return body.principal.groups.sort()
      }
      expect(await groupsIn('a')).toEqual(['red'])
      expect(await groupsIn('a/deep')).toEqual(['green', 'red'])
      expect(await groupsIn('b')).toEqual([])
      expect(await groupsIn('c')).toEqual(['blue'])
      // A grant without `read` adds no group.
      expect(await groupsIn('d')).toEqual([])
      expect(await groupsIn('*')).toEqual(['blue', 'green', 'red'])
    })

    it('let explanations say the same', async () => {
      const explained = async (externalId: string) => {
        const asked = { principalId: 'guest', unitId: unitIds[externalId] ?? '' }
        const { body } = await explainAccess(app, asked, { token: superAdminToken, namespace })
        return body.data.explainAccess.read.allowed
      }
      expect(await explained('a/deep green')).toBe(true)
      expect(await explained('a green')).toBe(false)
      expect(await explained('b red')).toBe(false)
    })

    it('show the rows of the audit log about the Units that they open', async () => {
      for (const id of Object.values(unitIds)) {
        await app.call('GET', `/v1/units/${id}`, { token: superAdminToken, namespace })
      }
      const seen = async () => {
        const { body } = await ask('GET', '/v1/audit?limit=100')
        const about = body.rows.filter(({ principal_id }: { principal_id: string }) => principal_id === 'super-admin')
        const gets = about.filter(({ action }: { action: string }) => action === 'units.get')
        return [...new Set(gets.map(({ target }: { target: string }) => target))].sort()
      }
      const expected = open.map((externalId) => unitIds[externalId]).sort()
      // Reads are recorded in groups, a little later.
      await expect.poll(seen).toHaveLength(expected.length)
      expect(await seen()).toEqual(expected)
    })

    it('reach as far for a deletion', async () => {
      const reply = await ask('POST', '/v1/units:delete', { body: { ids: Object.values(unitIds) } })
      expect(reply.body).toMatchObject({ matched: 2, tombstoned: 2 })
      const listed = await ask('GET', '/v1/units')
      expect(idsOf(listed.body.units)).toEqual(['a red', 'c blue'])
      // The same groups can restore deleted Units, but only in the grant's scopes.
      const query = 'mutation ($ids: [String!]!) { restoreUnits(ids: $ids) { matched restored } }'
      const restored = await app.graphql(query, { ids: Object.values(unitIds) }, { token: guest, namespace })
      expect(restored.body.data?.restoreUnits ?? restored.body).toMatchObject({ restored: 2 })
    })
  })
})
