import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeysOf, errorOf } from '../../support/access/api-keys.ts'
import { sender } from '../../support/access/restricted-team.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('restrictions of a key', () => {
  const now = Date.now()
  const minute = 60_000

  let keys: ReturnType<typeof apiKeysOf>
  let boss: string

  beforeAll(async () => {
    keys = apiKeysOf(app)
    boss = await app.principal({ id: 'boss', namespace: 'acme', groups: ['staff', 'board'] })
    const units = ['a', 'a/b', 'c'].map((scope) => {
      return { scope, text: `heron in ${scope}`, acl_owner: 'nobody', acl_groups: ['staff'] }
    })
    const { status } = await app.call('POST', '/v1/ingest', { token: boss, body: { units } })
    expect(status).toBe(200)
  })

  const status = async (token: string) => (await app.call('GET', '/v1/context', { token })).status
  const ingest = (token: string, unit: object, scope = 'a') =>
    app.call('POST', '/v1/ingest', { token, scope, body: { units: [{ text: 'x', ...unit }] } })
  const listed = async (token: string) => (await keys.list({ token })).body.data.apiKeys.keys

  describe('restrictions', () => {
    test.each([
      ['perms', { perms: ['read'] }],
      ['scopePrefix', { scopePrefix: 'a' }],
      ['planes', { planes: ['visual'] }],
      ['groups', { groups: ['board'] }],
    ] as const)('%s narrow', async (field, restriction) => {
      const { token } = await keys.mint(boss, restriction)
      const unreadable = { acl_owner: 'nobody', acl_groups: [] }
      const wide = { read: 3, write: 200, elsewhere: 200 }
      const seen = {
        read: (await app.call('GET', '/v1/units', { token })).body.units.length,
        write: (await ingest(token, unreadable)).status,
        elsewhere: (await ingest(token, unreadable, 'c')).status,
      }
      const narrowed = {
        perms: { write: 403, elsewhere: 403 },
        scopePrefix: { read: 2, elsewhere: 403 },
        planes: { read: 0, write: 403, elsewhere: 403 },
        groups: { read: 0 },
      }
      expect(seen).toEqual({ ...wide, ...narrowed[field] })
    })

    const held = {
      perms: ['read', 'write'],
      scopePrefix: 'a',
      planes: ['text', 'audio'],
      groups: ['staff'],
      expiresAt: now + 5 * minute,
    }

    test('are inherited by what a restricted key mints', async () => {
      const { token } = await keys.mint(boss, held)
      const { body } = await keys.create({ name: 'child' }, { token })
      expect(body.data.createApiKey.key).toMatchObject(held)
      const narrower = { perms: ['read'], scopePrefix: 'a/b', planes: ['audio'], groups: [], expiresAt: now + minute }
      const second = await keys.create({ name: 'child', ...narrower }, { token })
      expect(second.body.data.createApiKey.key).toMatchObject(narrower)
      const third = await keys.create({ name: 'child' }, { token: second.body.data.createApiKey.token })
      expect(third.body.data.createApiKey.key).toMatchObject(narrower)
    })

    test.each([
      ['perms', { perms: ['read', 'admin'] }],
      ['scopePrefix', { scopePrefix: 'ab' }],
      ['scopePrefix', { scopePrefix: 'c' }],
      ['planes', { planes: ['text', 'visual'] }],
      ['groups', { groups: ['staff', 'board'] }],
      ['expiresAt', { expiresAt: now + 5 * minute + 1 }],
    ])('of a restricted key refuse more: %s', async (field, more) => {
      const { token } = await keys.mint(boss, held)
      const before = await listed(boss)
      const error = errorOf(await keys.create({ name: 'wider', ...more }, { token }))
      expect(error).toMatchObject({ status: 403, code: 'forbidden', detail: expect.stringMatching(`^${field}: `) })
      const used = (key: object) => ({ ...key, lastUsedAt: null })
      expect((await listed(boss)).map(used)).toEqual(before.map(used))
    })

    test('keep a key from seeing or ending those that are wider', async () => {
      const kim = await app.principal({ id: 'kim', namespace: 'acme' })
      const wide = await keys.mint(kim, { name: 'wide' })
      const narrow = await keys.mint(kim, { name: 'narrow', perms: ['read'], scopePrefix: 'a' })
      const narrower = await keys.mint(kim, { name: 'narrower', perms: ['read'], scopePrefix: 'a/b' })
      const names = async (token: string) => (await listed(token)).map((key: { name: string }) => key.name)
      expect((await names(kim)).sort()).toEqual(['narrow', 'narrower', 'test', 'wide'])
      expect((await names(narrow.token)).sort()).toEqual(['narrow', 'narrower'])
      expect(await names(narrower.token)).toEqual(['narrower'])
      const unknown = errorOf(await keys.revoke('key_unknown', { token: narrow.token }))
      expect(unknown).toEqual({
        status: 404,
        code: 'not_found',
        detail: 'no such key: the id must be that of one of your API keys',
      })
      expect(errorOf(await keys.revoke(wide.id, { token: narrow.token }))).toEqual(unknown)
      expect(await status(wide.token)).toBe(200)
      expect(errorOf(await keys.revoke(narrower.id, { token: narrow.token }))).toBeNull()
      expect(await status(narrower.token)).toBe(401)
    })
  })
})

describe('seeding by restricted keys', () => {
  const soon = () => Date.now() + 20_000

  let send: ReturnType<typeof sender>
  let keys: ReturnType<typeof apiKeysOf>

  beforeAll(async () => {
    send = sender(app)
    keys = apiKeysOf(app)
  })

  describe('seeding', () => {
    let admin: string
    beforeAll(async () => {
      const { status, body } = await send('POST', '/v1/admin/seed', superAdminToken)
      expect(status).toBe(200)
      admin = body.tokens.admin
    })

    test.each([
      ['permissions, groups and an end', () => ({ perms: ['admin'], groups: [], expiresAt: soon() })],
      ['permissions that are all', () => ({ perms: ['read', 'write', 'admin'] })],
      ['planes', () => ({ planes: ['text', 'visual', 'audio', 'doc_visual'] })],
      ['groups', () => ({ groups: ['backend', 'general', 'finance'] })],
      ['a scope', () => ({ scopePrefix: 'harbor' })],
      ['an end', () => ({ expiresAt: soon() })],
    ])('is refused to a key of the seeded admin that is restricted to %s', async (_, restrictions) => {
      const { token } = await keys.mint(admin, restrictions())
      const reply = await send('POST', '/v1/admin/seed', token)
      expect(reply.status).toBe(403)
      expect(reply.body.tokens).toBeUndefined()
      expect((await send('GET', '/v1/context', admin)).status).toBe(200)
    })

    test.each([
      ['an agent', { kind: 'agent', groups: ['backend', 'general', 'finance'] }],
      ['an admin that lacks a group', { groups: ['backend', 'general'] }],
      [
        'an admin that may not write',
        { groups: ['backend', 'general', 'finance'], grants: [{ scope: '*', perms: ['read', 'admin'] }] },
      ],
    ] as const)('is refused to %s of demo', async (who, principal) => {
      const token = await app.principal({ id: `demo-${who}`.replaceAll(' ', '-'), namespace: 'demo', ...principal })
      expect((await send('POST', '/v1/admin/seed', token)).status).toBe(403)
    })

    test('is open to another admin of demo that holds all that the seeded one holds', async () => {
      const groups = ['backend', 'general', 'finance', 'more']
      const token = await app.principal({ id: 'demo-second', namespace: 'demo', groups })
      expect((await send('POST', '/v1/admin/seed', token)).status).toBe(200)
    })
  })
})
