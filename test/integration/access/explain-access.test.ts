import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf } from '../../support/access/api-keys.ts'
import { type Asked, addScopes, explainAccess, remove } from '../../support/access/explain.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'
import { withCatalogRows } from '../../support/database/catalog-rows.ts'
import { mutationsOf } from '../../support/mutations.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
// The last test closes the application.
afterAll(() => app.storage.remove())

const explain = (asked: Asked, options: CallOptions) => explainAccess(app, asked, options)
const explained = async (asked: Asked, options: CallOptions) => (await explain(asked, options)).body.data.explainAccess

interface Why {
  allowed: boolean
  reasons: { code: string; effect: string; detail: string; group: string | null; scope: string | null }[]
}
const codes = ({ reasons }: Why) => reasons.map(({ code }) => code).sort()

async function ingest(options: CallOptions, units: readonly object[]): Promise<string[]> {
  const { status, body } = await app.call('POST', '/v1/ingest', { ...options, scope: '*', body: { units } })
  expect(status).toBe(200)
  return body.units.map((unit: { unit_id: string }) => unit.unit_id)
}

describe('an explanation', () => {
  const namespace = 'acme'
  const boss = { token: '' }
  beforeAll(async () => {
    boss.token = await app.principal({ id: 'boss', namespace, groups: ['staff', 'board'] })
    await addScopes(app, namespace, [{ scope: 'a' }, { scope: 'a/b' }, { scope: 'vault', readOnlyAgents: true }])
  })

  test('names the grants, the owner and the groups that decide', async () => {
    const [unitId = ''] = await ingest(boss, [
      { scope: 'a/b', text: 'x', acl_owner: 'kim', acl_groups: ['staff', 'board', '*', 'nobody'] },
    ])
    const grants = [
      { scope: 'a', perms: ['read'] as const },
      { scope: 'a/b', perms: ['write', 'admin'] as const },
      { scope: 'vault', perms: ['read', 'write'] as const },
    ]
    await app.principal({ id: 'kim', namespace, groups: ['staff'], grants })
    const { principalId, read, write } = await explained({ principalId: 'kim', unitId }, boss)
    expect(principalId).toBe('kim')
    const id = expect.stringMatching(/^grant_/)
    const plain = { effect: 'allows', detail: expect.any(String), grant: null, group: null, scope: null }
    const reader = { id, scope: 'a', perms: ['read'] }
    const detail = expect.stringMatching(/^grant grant_\w+ holds read on a$/)
    expect(read).toEqual({
      allowed: true,
      reasons: [
        { ...plain, code: 'grant', grant: reader, detail },
        { ...plain, code: 'owner' },
        { ...plain, code: 'group', group: '*' },
        { ...plain, code: 'group', group: 'staff' },
      ],
    })
    const writer = { id, scope: 'a/b', perms: ['write', 'admin'] }
    expect(write).toEqual({ allowed: true, reasons: [{ ...plain, code: 'grant', grant: writer }] })
  })

  test('names what is missing', async () => {
    const [shared = '', own = ''] = await ingest(boss, [
      { scope: 'a', text: 'x', acl_groups: ['staff'] },
      { scope: 'a', text: 'y' },
    ])
    const grants = [{ scope: '*', perms: ['read', 'write'] as const }]
    await app.principal({ id: 'nothing', namespace, groups: ['staff'], grants: [] })
    await app.principal({ id: 'reader', namespace, groups: ['staff'], grants, readOnly: true })
    await app.principal({ id: 'robot', namespace, groups: ['staff'], grants, kind: 'agent' })
    const why = (principalId: string, asked: Omit<Asked, 'principalId'>) => explained({ principalId, ...asked }, boss)

    const nothing = await why('nothing', { unitId: shared })
    expect([codes(nothing.read), codes(nothing.write)]).toEqual([
      ['group', 'no_grant'],
      ['no_grant', 'not_readable'],
    ])
    expect(nothing.read.reasons[0].detail).toBe('no grant with read covers a')
    expect((await why('nothing', { scope: '*' })).read.reasons[0].detail).toBe('no grant with read exists')

    const stranger = await why('reader', { unitId: own })
    expect([codes(stranger.read), codes(stranger.write)]).toEqual([
      ['grant', 'no_acl'],
      ['grant', 'not_readable', 'read_only'],
    ])
    const reader = await why('reader', { unitId: shared })
    expect([reader.read.allowed, reader.write.allowed, codes(reader.write)]).toEqual([
      true,
      false,
      ['grant', 'read_only'],
    ])
    const robot = await why('robot', { scope: 'vault/below' })
    expect(robot.read.allowed).toBe(true)
    expect(robot.write).toMatchObject({
      allowed: false,
      reasons: [{ code: 'grant' }, { code: 'read_only_agents', effect: 'denies', scope: 'vault' }],
    })

    // With `*` one open scope is enough.
    const vault = { scope: 'vault/x', perms: ['read', 'write'] as const }
    await app.principal({ id: 'locked', namespace, grants: [vault], kind: 'agent' })
    await app.principal({ id: 'half', namespace, grants: [vault, { ...vault, scope: 'a' }], kind: 'agent' })
    const [locked, half] = [await why('locked', { scope: '*' }), await why('half', { scope: '*' })]
    expect([locked.write.allowed, codes(locked.write)]).toEqual([false, ['grant', 'read_only_agents']])
    expect([half.write.allowed, codes(half.write)]).toEqual([true, ['grant', 'grant']])
  })

  test('notes planes that are closed, which keeps nobody from fetching', async () => {
    const [unitId = ''] = await ingest(boss, [{ scope: 'a/b', text: 'x', plane: 'visual' }])
    const change = await mutationsOf(app).updateScope('a/b', { planes: ['text'] }, boss)
    expect(change.error).toBeNull()
    const { read } = await explained({ principalId: 'boss', unitId }, boss)
    expect(read.allowed).toBe(true)
    expect(read.reasons.at(-1)).toMatchObject({
      code: 'plane_closed',
      effect: 'notes',
      detail: 'scope a/b has the plane visual closed to searches',
    })
    expect((await app.call('GET', `/v1/units/${unitId}`, boss)).status).toBe(200)
  })

  test('mentions a deleted principal only in its home namespace', async () => {
    const grants = [{ scope: '*', perms: ['read'] as const, namespace }]
    await app.principal({ id: 'gone', namespace })
    await app.principal({ id: 'keeper', namespace: 'elsewhere' })
    await app.principal({ id: 'gone-guest', namespace: 'elsewhere', grants })
    expect((await explained({ principalId: 'gone-guest', scope: 'a' }, boss)).read.allowed).toBe(true)
    await remove(app, namespace, 'gone')
    await remove(app, 'elsewhere', 'gone-guest')
    const gone = await explained({ principalId: 'gone', scope: 'a' }, boss)
    const reasons = [{ code: 'principal_deleted', effect: 'denies' }]
    expect(gone).toMatchObject({ read: { allowed: false, reasons }, write: { allowed: false, reasons } })
    expect(errorOf(await explain({ principalId: 'gone-guest', scope: 'a' }, boss))).toMatchObject({ status: 404 })
  })

  test('reveals nothing: hidden Units and foreign principals are not found, like unknown ones', async () => {
    const [unitId = ''] = await ingest({ token: superAdminToken, namespace }, [
      { scope: 'a', text: 'x', acl_owner: 'someone', acl_groups: ['secret'] },
    ])
    const about = (principalId: string, unit: string) => explain({ principalId, unitId: unit }, boss)
    const unknown = errorOf(await about('boss', 'unit_unknown'))
    expect(unknown).toEqual({
      status: 404,
      code: 'not_found',
      detail: 'no such Unit: the id must be that of a Unit that you may read',
    })
    expect(errorOf(await about('boss', unitId))).toEqual(unknown)
    expect((await explained({ principalId: 'boss', unitId }, { token: superAdminToken, namespace })).read.allowed).toBe(
      false,
    )

    await app.principal({ id: 'stranger', namespace: 'elsewhere' })
    const noOne = errorOf(await explain({ principalId: 'no-one', scope: '*' }, boss))
    expect(noOne).toEqual({
      status: 404,
      code: 'not_found',
      detail: 'no such principal: the id must be that of a principal in the namespace',
    })
    expect(errorOf(await explain({ principalId: 'stranger', scope: '*' }, boss))).toEqual(noOne)
    expect(errorOf(await explain({ principalId: 'super-admin', scope: '*' }, boss))).toEqual(noOne)
  })

  test('is for admin principals, who name one thing to explain', async () => {
    const grants = [{ scope: 'a', perms: ['read', 'write', 'admin'] as const }]
    const token = await app.principal({ id: 'local-admin', namespace, grants })
    const refused = errorOf(await explain({ principalId: 'no-one', scope: 'a' }, { token }))
    expect(refused).toMatchObject({ status: 403 })
    expect(errorOf(await explain({ principalId: 'boss', scope: 'a' }, { token }))).toEqual(refused)
    for (const asked of [{}, { unitId: 'x', scope: 'a' }, { scope: 'a//b' }, { unitId: '' }, { scope: 'a\0' }]) {
      expect(errorOf(await explain({ principalId: 'boss', ...asked }, boss))).toMatchObject({ status: 400 })
    }
    expect(errorOf(await explain({ principalId: '', scope: 'a' }, boss))).toMatchObject({ status: 400 })
  })
})

test('is audited, refusals are not', async () => {
  const token = await app.principal({ id: 'chief', namespace: 'audited' })
  const [unitId = ''] = await ingest({ token }, [{ scope: 'a', text: 'x' }])
  await explained({ principalId: 'chief', unitId }, { token })
  await explained({ principalId: 'chief', scope: '*' }, { token })
  await explain({ principalId: 'no-one', scope: '*' }, { token })
  await app.close({ keep: true })
  const rows = await withCatalogRows(app.storage, (sql) =>
    sql(
      `SELECT r.principal_id, r.target, r.detail FROM audit_row r JOIN namespace n ON n.id = r.namespace_id
       WHERE n.name = 'audited' AND r.action = 'access.explain' ORDER BY r.seq`,
    ),
  )
  const row = { principal_id: 'chief', detail: { principal_id: 'chief' } }
  expect(rows).toEqual([
    { ...row, target: unitId },
    { ...row, target: '*' },
  ])
})
