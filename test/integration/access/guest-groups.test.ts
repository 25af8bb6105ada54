import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explainAccess } from '../../support/access/explain.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

let app: TestApp
let guest: string
let unitIds: Record<string, string>

const namespace = 'harbour'
const scopes = ['a', 'a/deep', 'b', 'c', 'd']

beforeAll(async () => {
  app = await boot()
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
afterAll(() => app.close())

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
