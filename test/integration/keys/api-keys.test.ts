import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeysOf, errorOf } from '../../support/access/api-keys.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import { expectSoundCatalog, withCatalogRows } from '../../support/database/catalog-rows.ts'

const start = Date.parse('2026-11-22T12:00:00Z')
const minute = 60_000

let now = start
let app: TestApp
let keys: ReturnType<typeof apiKeysOf>
let boss: string

beforeAll(async () => {
  app = await boot({ bindings: { clock: { now: () => now } } })
  keys = apiKeysOf(app)
  boss = await app.principal({ id: 'boss', namespace: 'acme', groups: ['staff', 'board'] })
  const units = ['a', 'a/b', 'c'].map((scope) => {
    return { scope, text: `heron in ${scope}`, acl_owner: 'nobody', acl_groups: ['staff'] }
  })
  const { status } = await app.call('POST', '/v1/ingest', { token: boss, body: { units } })
  expect(status).toBe(200)
})
// The last test closes the application.
afterAll(() => app.storage.remove())

const status = async (token: string, path = '/v1/context') => (await app.call('GET', path, { token })).status
const scopesOf = async (token: string): Promise<string[]> => {
  const { body } = await app.call('GET', '/v1/units', { token })
  return body.units.map((unit: { scope: string }) => unit.scope)
}
const ingest = (token: string, unit: object, scope = 'a') =>
  app.call('POST', '/v1/ingest', { token, scope, body: { units: [{ text: 'x', ...unit }] } })
const listed = async (token: string) => (await keys.list({ token })).body.data.apiKeys.keys

describe('a key', () => {
  test('is minted, listed without its secret, used and revoked', async () => {
    const ada = await app.principal({ id: 'ada', namespace: 'acme', groups: ['staff'] })
    const input = { name: 'Night-run-7', expiresAt: start + 10 * minute, perms: ['read'], scopePrefix: 'a' }
    const content = { planes: ['text'], groups: ['staff'], hiddenCount: 'some' }
    const { body } = await keys.create({ ...input, ...content }, { token: ada })
    const { key, token } = body.data.createApiKey
    expect(token).toMatch(/^svc_sk_Night-run-7_[A-Za-z0-9]{32}$/)
    const expected = { id: key.id, createdAt: start, lastUsedAt: null, ...content, ...input }
    expect(key).toEqual(expected)
    expect((await listed(ada)).slice(1)).toEqual([expected])
    expect(await scopesOf(token)).toEqual(['a', 'a/b'])

    const bare = await keys.create({ name: 'bare', perms: null, scopePrefix: null, expiresAt: null }, { token: ada })
    expect(bare.body.data.createApiKey.key).toMatchObject({
      expiresAt: null,
      perms: null,
      scopePrefix: null,
      planes: null,
      groups: null,
    })

    const revoked = await keys.revoke(key.id, { token: ada })
    expect(revoked.body.data).toEqual({ revokeApiKey: { revoked: true, id: key.id } })
    expect(await status(token)).toBe(401)
    expect((await listed(ada)).map((k: { name: string }) => k.name)).toEqual(['test', 'bare'])
  })

  test('may revoke itself', async () => {
    const key = await keys.mint(boss)
    expect(errorOf(await keys.revoke(key.id, { token: key.token }))).toBeNull()
    expect(await status(key.token)).toBe(401)
  })

  test('does what its principal may do at the time of use', async () => {
    const lee = await app.principal({ id: 'lee', namespace: 'acme', groups: ['staff'], grants: [] })
    const { token } = await keys.mint(lee)
    expect(await status(token, '/v1/units')).toBe(403)
    const body = { principal_id: 'lee', scope: 'a', perms: ['read'] }
    const granted = await app.call('POST', '/v1/grants', { token: boss, body })
    expect(await scopesOf(token)).toEqual(['a', 'a/b'])
    expect((await ingest(token, {})).status).toBe(403)
    await app.call('DELETE', `/v1/grants/${granted.body.id}`, { token: boss })
    expect(await status(token, '/v1/units')).toBe(403)
    const deleted = await app.call('DELETE', '/v1/principals/lee', { token: boss })
    expect(deleted.body).toMatchObject({ deleted: true, tokens: 2 })
    expect(await status(token)).toBe(401)
  })

  test('of a read-only principal reads', async () => {
    const reader = await app.principal({ id: 'reader', namespace: 'acme', groups: ['staff'], readOnly: true })
    const { token } = await keys.mint(reader, { perms: ['read', 'write', 'admin'] })
    expect(await scopesOf(token)).toEqual(['a', 'a/b', 'c'])
    expect((await ingest(token, {})).status).toBe(403)
  })

  test('stops at its expiry, though it was just used', async () => {
    const { token } = await keys.mint(boss, { expiresAt: start + minute })
    now = start + minute - 1
    expect(await status(token)).toBe(200)
    now = start + minute
    expect(await status(token)).toBe(401)
    now = start
  })

  test('works in the namespaces that were granted to its principal', async () => {
    const grants = [{ scope: '*', perms: ['read'] as const, namespace: 'acme', groups: ['staff'] }]
    const guest = await app.principal({ id: 'guest', namespace: 'elsewhere', grants })
    const made = await keys.create({ name: 'guest-key' }, { token: guest, namespace: 'acme' })
    const { token } = made.body.data.createApiKey
    const there = await app.call('GET', '/v1/units', { token, namespace: 'acme' })
    expect(there.body.units).toHaveLength(3)
  })
})

test('keys of others are not found, like those that do not exist', async () => {
  const mallory = await app.principal({ id: 'mallory', namespace: 'acme' })
  const { id, token } = await keys.mint(boss)
  const foreign = errorOf(await keys.revoke(id, { token: mallory }))
  expect(foreign).toEqual({
    status: 404,
    code: 'not_found',
    detail: 'no such key: the id must be that of one of your API keys',
  })
  expect(errorOf(await keys.revoke(`${id}x`, { token: mallory }))).toEqual(foreign)
  expect(await status(token)).toBe(200)
  expect(await listed(mallory)).toHaveLength(1)
})

test('the super-admin has none', async () => {
  const token = superAdminToken
  const refusals = [await keys.create({ name: 'x' }, { token }), await keys.list({ token })]
  refusals.push(await keys.revoke('key_x', { token }))
  for (const refusal of refusals) expect(errorOf(refusal)).toMatchObject({ status: 403, code: 'forbidden' })
})

test('a principal holds at most 100; those that ran out make room', async () => {
  const many = await app.principal({ id: 'many', namespace: 'acme' })
  for (let i = 1; i < 100; i++) await keys.mint(many, { expiresAt: i < 50 ? start + minute : start + 2 * minute })
  const full = errorOf(await keys.create({ name: 'x' }, { token: many }))
  expect(full).toEqual({
    status: 400,
    code: 'bad_request',
    detail: 'a principal may have at most 100 API keys: revoke one first',
  })
  now = start + minute
  await keys.mint(many)
  expect(await listed(many)).toHaveLength(52)
  now = start
})

describe('last use', () => {
  const lastUse = async (id: string) => {
    await app.runtime.domain.background.idle()
    app.runtime.domain.background.kick()
    await app.runtime.domain.background.idle()
    return (await listed(boss)).find((key: { id: string }) => key.id === id)?.lastUsedAt
  }

  test('is recorded once a minute', async () => {
    const { id, token } = await keys.mint(boss)
    expect(await lastUse(id)).toBeNull()
    const uses: [at: number, recorded: number][] = [
      [start + 1000, start + 1000],
      [start + 1000 + minute - 1, start + 1000],
      [start + 1000 + minute, start + 1000 + minute],
    ]
    for (const [at, recorded] of uses) {
      now = at
      expect(await status(token)).toBe(200)
      expect(await lastUse(id), `used at ${at - start}`).toBe(recorded)
    }
    now = start
  })

  test('is not that of a refusal', async () => {
    const { id, token } = await keys.mint(boss, { expiresAt: start + minute })
    now = start + minute
    expect(await status(token)).toBe(401)
    now = start
    expect(await lastUse(id)).toBeNull()
  })
})

// Last: it closes the application to read the catalog without it.
test('only hashes are stored; minting and revoking stand in the chain of the home, refusals do not', async () => {
  const grants = [{ scope: '*', perms: ['admin'] as const, namespace: 'acme' }]
  const auditor = await app.principal({ id: 'auditor', namespace: 'office', grants })
  const made = await keys.create({ name: 'kept' }, { token: auditor, namespace: 'acme' })
  const { key, token } = made.body.data.createApiKey
  await keys.create({ name: 'not a name' }, { token: auditor })
  await keys.revoke('key_unknown', { token: auditor })
  const gone = await keys.mint(auditor)
  await keys.revoke(gone.id, { token: auditor, namespace: 'acme' })
  await status(token)
  await app.close({ keep: true })

  await withCatalogRows(app.storage, async (sql) => {
    const rows = await sql(
      `SELECT n.name, r.action, r.target, r.detail FROM audit_row r JOIN namespace n ON n.id = r.namespace_id
       WHERE r.principal_id = 'auditor' ORDER BY r.seq`,
    )
    const row = (action: string, id: string, detail: object) => ({
      name: 'office',
      action,
      target: id,
      detail: { key: id, ...detail },
    })
    expect(rows).toEqual([
      row('key.create', key.id, { expired_removed: 0 }),
      row('key.create', gone.id, { expired_removed: 0 }),
      row('key.revoke', gone.id, {}),
    ])
    const hash = createHash('sha256').update(token).digest('hex')
    const stored = await sql('SELECT hash, last_used_at::float8 AS used FROM token WHERE id = $1', [key.id])
    // The last use was written when the application stopped.
    expect(stored).toEqual([{ hash, used: start }])
    const dump = JSON.stringify([await sql('SELECT * FROM token'), await sql('SELECT * FROM audit_row')])
    expect(dump).not.toContain(token)
    const log = JSON.stringify(await sql('SELECT * FROM audit_row'))
    expect(log).not.toContain(hash)
  })
  await expectSoundCatalog(app.storage)
})
