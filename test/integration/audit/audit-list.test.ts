import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestPrincipal } from '../../support/access/principals.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'

const namespace = 'ledger'
let app: TestApp
let admin: string
beforeAll(async () => {
  // With this setting a row is in the log before its request is answered.
  app = await boot({ config: { audit: { reads: 'sync', queries: { kind: 'text' } } } })
  admin = await app.principal({ id: 'keeper', namespace })
  for (const scope of ['dock', 'dock/crane', 'docks', 'vault']) {
    await app.call('POST', '/v1/scopes', { token: admin, body: { scope } })
  }
})
afterAll(() => app.close())

interface Row {
  seq: number
  action: string
  target: string | null
  principal_id: string
}

const list = (options: CallOptions, query = '') => app.call('GET', `/v1/audit${query}`, options)
/** The mutations that a token sees, oldest first. */
const seen = async (token: string, options: CallOptions = {}, query = '') => {
  const { status, body } = await list({ token, ...options }, query)
  expect(status).toBe(200)
  return body.rows.toReversed().map(({ action, target }: Row) => `${action} ${target}`)
}
const allRows = async (): Promise<Row[]> => (await list({ token: admin })).body.rows
let members = 0
const member = (principal: Partial<TestPrincipal>) =>
  app.principal({ id: `member-${++members}`, namespace, grants: [{ scope: '*', perms: ['read'] }], ...principal })
const ingest = async (token: string, scope: string, unit: object = {}): Promise<string> => {
  const reply = await app.call('POST', '/v1/ingest', { token, scope, body: { units: [{ text: 'rope', ...unit }] } })
  expect(reply.status).toBe(200)
  return reply.body.units[0].unit_id
}
const update = async (token: string, unitId: string) => {
  const mutation = `mutation { updateUnit(unitId: "${unitId}", input: { metadata: { n: ${Math.random()} } }) { seq } }`
  expect((await app.graphql(mutation, {}, { token })).body.errors).toBeUndefined()
}

describe('who sees what', () => {
  test('an admin principal and the super-admin see everything, newest first', async () => {
    await app.call('POST', '/v1/principals', { token: admin, body: {} })
    const rows = await allRows()
    expect(rows.map((row) => row.seq)).toEqual(rows.map((_, i) => rows.length - i))
    expect(rows[0]).toMatchObject({ action: 'principal.create', principal_id: 'keeper' })
    const wide = await list({ token: superAdminToken, namespace, scope: 'vault' })
    expect(wide.body.rows).toEqual(rows)
    expect(wide.body).toMatchObject({ namespace, count: rows.length, next_cursor: null })
  })

  test('a row has the documented fields, and no more', async () => {
    const { body } = await app.call('POST', '/v1/grants', {
      token: admin,
      headers: { 'x-request-id': 'grant-1' },
      body: { principal_id: 'keeper', scope: 'dock', perms: ['read'] },
    })
    const [row, before] = await allRows()
    expect(row).toEqual({
      namespace,
      seq: (before?.seq ?? 0) + 1,
      time: expect.any(Number),
      principal_id: 'keeper',
      action: 'grant.create',
      target: body.id,
      outcome: 'ok',
      request_id: 'grant-1',
      detail: { principal_id: 'keeper', scope: 'dock', perms: 'read', groups: 0 },
      prev_hash: (before as Row & { hash: string }).hash,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('others see the rows of scopes that they may read, and nothing beside or above', async () => {
    const grants = [{ scope: 'dock', perms: ['read'] as const }]
    const token = await member({ grants })
    for (const scope of ['dock', 'dock/crane', 'docks', 'vault']) await ingest(admin, scope)
    const rows = await seen(token)
    expect(rows).toEqual([
      ...['scope.create dock', 'scope.create dock/crane', 'units.ingest dock', 'units.ingest dock/crane'],
    ])
    expect((await list({ token })).body.count).toBe(4)
    expect(await seen(token, { scope: 'dock/crane' })).toEqual(['scope.create dock/crane', 'units.ingest dock/crane'])
    expect(await seen(token, { scope: 'vault' })).toEqual([])
  })

  test('a principal that is called like a scope does not show', async () => {
    const reader = await member({ id: 'dock-reader', grants: [{ scope: 'named', perms: ['read'] }] })
    await app.principal({ id: 'named', namespace, grants: [] })
    expect((await app.call('DELETE', '/v1/principals/named', { token: admin })).status).toBe(200)
    expect((await allRows())[0]).toMatchObject({ action: 'principal.delete', target: 'named' })
    expect(await seen(reader)).toEqual([])
  })

  test('others see the rows of Units while they may read them', async () => {
    const writer = await member({ grants: [{ scope: 'vault', perms: ['read', 'write'] }] })
    const open = await ingest(writer, 'vault', { acl_groups: ['divers'] })
    const closed = await ingest(writer, 'vault')
    await update(writer, open)
    await update(writer, closed)
    const grants = [{ scope: 'vault', perms: ['read'] as const }]
    const diver = await member({ grants, groups: ['divers'] })
    const other = await member({ grants })
    const elsewhere = await member({ groups: ['divers'], grants: [{ scope: 'dock', perms: ['read'] }] })
    const ofUnits = async (token: string) => (await seen(token)).filter((row: string) => row.startsWith('units.update'))
    expect(await ofUnits(diver)).toEqual([`units.update ${open}`])
    expect(await ofUnits(other)).toEqual([])
    expect(await ofUnits(elsewhere)).toEqual([])
    expect(await ofUnits(writer)).toEqual([`units.update ${open}`, `units.update ${closed}`])
    await app.call('POST', '/v1/units:delete', { token: writer, scope: 'vault', body: { ids: [open] } })
    expect(await ofUnits(diver)).toEqual([])
    expect(await ofUnits(writer)).toEqual([`units.update ${open}`, `units.update ${closed}`])
  })

  test('what a principal did itself it sees wherever it was', async () => {
    const token = await member({ grants: [{ scope: 'solo', perms: ['read', 'write'] }] })
    await app.call('POST', '/v1/scopes', { token, body: { scope: 'solo' } })
    await app.graphql('mutation { createApiKey(input: { name: "own" }) { key { id } } }', {}, { token })
    const rows = await seen(token, { scope: 'elsewhere' })
    expect(rows).toEqual(['scope.create solo', expect.stringMatching(/^key\.create /)])
  })

  test('an admin of a part is not an admin principal', async () => {
    const token = await member({ grants: [{ scope: 'docks', perms: ['admin'] }] })
    expect(await seen(token)).toEqual([])
    const reading = await member({ grants: [{ scope: 'docks', perms: ['read', 'admin'] }] })
    expect(await seen(reading)).toEqual(['scope.create docks', 'units.ingest docks'])
  })

  test("a foreign principal's own log stays its own", async () => {
    const foreign = { namespace: 'abroad', grants: [{ scope: 'dock/crane', perms: ['read' as const], namespace }] }
    const token = await app.principal({ id: 'guest', ...foreign })
    expect(await seen(token, { namespace })).toEqual(['scope.create dock/crane', 'units.ingest dock/crane'])
    expect((await list({ token: admin, namespace: 'abroad' })).status).toBe(403)
  })
})

describe('a restricted key', () => {
  const key = async (token: string, restrictions: object): Promise<string> => {
    const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token } }'
    const reply = await app.graphql(query, { input: { name: 'narrow', ...restrictions } }, { token })
    return reply.body.data.createApiKey.token
  }

  test('of an admin sees what its prefix leaves, own rows too', async () => {
    const token = await key(admin, { scopePrefix: 'dock' })
    const rows = await seen(token)
    expect(rows).not.toHaveLength(0)
    for (const row of rows) expect(row).toMatch(/^(scope|units)\.\w+ dock(\/|$)/)
  })

  test('without read and admin is refused', async () => {
    expect((await list({ token: await key(admin, { perms: ['write'] }) })).status).toBe(403)
  })

  test('with admin alone sees everything', async () => {
    const token = await key(admin, { perms: ['admin'] })
    expect((await list({ token })).body.rows).toEqual(await allRows())
  })

  test('kept to planes or groups sees no Unit beyond them, not even its own', async () => {
    const writer = await member({ groups: ['divers'], grants: [{ scope: 'vault', perms: ['read', 'write'] }] })
    const image = await ingest(writer, 'vault', { modality: 'image', acl_groups: ['divers'] })
    await update(writer, image)
    const updates = async (token: string) =>
      (await seen(token)).filter((row: string) => row === `units.update ${image}`).length
    expect(await updates(await key(writer, { planes: ['visual'] }))).toBe(1)
    expect(await updates(await key(writer, { planes: ['text'] }))).toBe(0)
    const ownerless = await ingest(admin, 'vault', { acl_groups: ['divers'], acl_owner: 'keeper' })
    await update(admin, ownerless)
    const shared = async (token: string) =>
      (await seen(token)).filter((row: string) => row === `units.update ${ownerless}`).length
    expect(await shared(await key(writer, { groups: ['divers'] }))).toBe(1)
    expect(await shared(await key(writer, { groups: [] }))).toBe(0)
  })
})

describe('pages', () => {
  test.each([['admin'], ['reader']])('of the %s come one after another, without gaps or repetition', async (who) => {
    const token = who === 'admin' ? admin : await member({})
    const whole = (await list({ token })).body
    expect(whole.count).toBe(whole.rows.length)
    expect(whole.count).toBeGreaterThan(10)
    const rows: Row[] = []
    for (let cursor: number | null = 0; cursor !== null; ) {
      const { body } = await list({ token }, `?limit=3&cursor=${cursor}`)
      expect(body.count).toBe(whole.count)
      expect(body.next_cursor).toBe(cursor + 3 < whole.count ? cursor + 3 : null)
      rows.push(...body.rows)
      cursor = body.next_cursor
    }
    expect(rows).toEqual(whole.rows)
  })

  test.each([['admin'], ['reader']])('of the %s beyond the end are empty', async (who) => {
    const token = who === 'admin' ? admin : await member({})
    const { count } = (await list({ token })).body
    for (const cursor of [count, Number.MAX_SAFE_INTEGER]) {
      const { status, body } = await list({ token }, `?cursor=${cursor}`)
      expect([status, body]).toEqual([200, { namespace, rows: [], count, next_cursor: null }])
    }
  })

  test('hold 100 rows unless asked for less', async () => {
    const token = await app.principal({ id: 'busy', namespace: 'busy' })
    for (let i = 0; i < 101; i++) await ingest(token, 'b', { external_id: `${i}` })
    const { body } = await list({ token })
    expect([body.rows.length, body.count, body.next_cursor]).toEqual([100, body.count, 100])
    expect(body.count).toBeGreaterThan(100)
    expect((await list({ token }, '?limit=1')).body.rows).toEqual([body.rows[0]])
  })
})

describe('refusals', () => {
  test.each(['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'cursor=-1', 'cursor=x', 'cursor=9007199254740992'])(
    '%s is 400 and named',
    async (query) => {
      const { status, body } = await list({ token: admin }, `?${query}`)
      expect([status, body.error]).toEqual([400, 'bad_request'])
      expect(body.detail).toContain(query.split('=')[0])
    },
  )

  test('come in the order of the contract', async () => {
    const free = { namespace: 'gratis', tier: 'free' as const }
    const token = await app.principal({ id: 'gratis-admin', ...free })
    const powerless = await app.principal({ id: 'gratis-writer', ...free, grants: [{ scope: 'a', perms: ['write'] }] })
    expect((await list({}, '?limit=0')).status).toBe(401)
    expect((await list({ token: powerless, namespace }, '?limit=0')).status).toBe(403)
    expect((await list({ token: powerless }, '?limit=0')).status).toBe(400)
    expect((await list({ token: powerless })).status).toBe(403)
    const upgrade = { error: 'upgrade_required', status: 402, required_tier: 'pro' }
    expect((await list({ token })).body).toMatchObject(upgrade)
    expect((await app.call('GET', '/v1/audit/verify', { token: powerless })).body).toMatchObject(upgrade)
    const pro = await app.principal({ id: 'pro-admin', namespace: 'paid', tier: 'pro' })
    expect((await list({ token: pro })).status).toBe(200)
  })
})

test('GraphQL answers the same in its own spelling', async () => {
  const query = `query ($limit: Int, $cursor: SafeInt) { audit(limit: $limit, cursor: $cursor) {
    namespace count nextCursor rows { namespace seq time principalId action target outcome requestId detail prevHash hash }
  } }`
  const { body } = await app.graphql(query, { limit: 2, cursor: 1 }, { token: admin })
  const rest = (await list({ token: admin }, '?limit=2&cursor=1')).body
  const { rows, nextCursor, ...page } = body.data.audit
  const toWire = ({ principalId, requestId, prevHash, ...row }: Record<string, unknown>) => {
    return { ...row, principal_id: principalId, request_id: requestId, prev_hash: prevHash }
  }
  expect({ ...page, next_cursor: nextCursor, rows: rows.map(toWire) }).toEqual(rest)
  const refused = await app.graphql('{ audit(limit: 101) { count } }', {}, { token: admin })
  expect(refused.body.errors[0]).toMatchObject({
    message: 'limit: must be between 1 and 100',
    extensions: { code: 'bad_request', status: 400 },
  })
})
