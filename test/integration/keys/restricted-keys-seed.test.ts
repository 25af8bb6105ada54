import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeysOf } from '../../support/access/api-keys.ts'
import { sender } from '../../support/access/restricted-team.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

const soon = () => Date.now() + 20_000

let app: TestApp
let send: ReturnType<typeof sender>
let keys: ReturnType<typeof apiKeysOf>

beforeAll(async () => {
  app = await boot()
  send = sender(app)
  keys = apiKeysOf(app)
})
afterAll(() => app.close())

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
