import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf } from '../../support/access/api-keys.ts'
import { bootTeams, type Teams } from '../../support/access/restricted-team.ts'

let teams: Teams
beforeAll(async () => {
  teams = await bootTeams()
})
afterAll(() => teams.app.close())

const soon = () => teams.now() + 60_000

describe('a key with a scope prefix', () => {
  test('administers the scopes below it, and nothing else', async () => {
    const { everything, mint } = await teams.createTeam()
    const token = await mint({ scopePrefix: 'x/below' })
    expect((await teams.send('POST', '/v1/scopes', token, { scope: 'x/below/new' })).status).toBe(200)
    const { grants } = (await everything()).records
    expect(grants).toContainEqual(expect.objectContaining({ scope: 'x/below/new', perms: ['read', 'write', 'admin'] }))
    expect((await teams.run.updateScope('x/below/new', { planes: ['text'] }, { token })).error).toBeNull()
    expect((await teams.send('DELETE', '/v1/scopes/x', token)).status).toBe(403)
    expect(
      (await teams.send('POST', '/v1/grants', token, { principal_id: 'any', scope: 'x', perms: ['read'] })).status,
    ).toBe(403)
    expect((await teams.send('DELETE', '/v1/scopes/x%2Fbelow', token)).status).toBe(200)
  })
})

describe('a key with permissions', () => {
  test('is granted no others by a scope that it creates', async () => {
    const { everything, mint } = await teams.createTeam()
    const token = await mint({ perms: ['write'] })
    expect((await teams.send('POST', '/v1/scopes', token, { scope: 'written' })).status).toBe(200)
    const { grants } = (await everything()).records
    expect(grants).toContainEqual(expect.objectContaining({ scope: 'written', perms: ['write'], expiresAt: null }))
  })
})

describe('a key that expires', () => {
  test('makes principals whose tokens end with it', async () => {
    const { boss, mint } = await teams.createTeam()
    const expiresAt = soon()
    const token = await mint({ expiresAt })
    const made = await teams.send('POST', '/v1/principals', token, { name: 'late' })
    expect(made.status).toBe(200)
    const { token: late, principal_id } = made.body
    await teams.send('POST', '/v1/grants', boss, { principal_id, scope: '*', perms: ['read'] })
    expect((await teams.send('GET', '/v1/units', late)).status).toBe(200)
    const child = await teams.keys.mint(late)
    teams.passTo(expiresAt + 200)
    expect((await teams.send('GET', '/v1/units', late)).status).toBe(401)
    expect((await teams.send('GET', '/v1/units', child.token)).status).toBe(401)
  })

  test('makes grants that count until it ends, also those of the scopes that it creates', async () => {
    const { namespace, boss, id, everything, mint } = await teams.createTeam()
    const reader = await teams.app.principal({ id: `${namespace}-reader`, namespace, grants: [] })
    const expiresAt = soon()
    const token = await mint({ expiresAt })
    const given = await teams.send('POST', '/v1/grants', token, {
      principal_id: `${namespace}-reader`,
      scope: '*',
      perms: ['read'],
    })
    expect(given.status).toBe(200)
    const admin = await teams.send('POST', '/v1/grants', token, {
      principal_id: `${namespace}-reader`,
      scope: '*',
      perms: ['admin'],
    })
    expect((await teams.send('POST', '/v1/scopes', token, { scope: 'short' })).status).toBe(200)
    const { grants } = (await everything()).records
    const ends = grants.filter((grant: { expiresAt: number | null }) => grant.expiresAt !== null)
    expect(ends.map(({ scope, ...grant }: { scope: string; expiresAt: number }) => [scope, grant.expiresAt])).toEqual([
      ['*', expiresAt],
      ['*', expiresAt],
      ['short', expiresAt],
    ])
    expect((await teams.send('GET', '/v1/units', reader)).status).toBe(200)
    // A temporary admin does not count as an admin of a namespace.
    const [lasting] = grants.filter((grant: { expiresAt: number | null }) => grant.expiresAt === null)
    expect((await teams.send('DELETE', `/v1/grants/${lasting.id}`, boss)).status, id).toBe(400)
    teams.passTo(expiresAt + 200)
    expect((await teams.send('GET', '/v1/units', reader)).status).toBe(403)
    expect((await teams.send('GET', `/v1/grants/${admin.body.id}`, boss)).status).toBe(404)
    expect((await everything()).records.grants).toHaveLength(1)
  })

  test('neither claims namespaces nor pays', async () => {
    const { mint } = await teams.createTeam()
    const token = await mint({ expiresAt: soon() })
    expect((await teams.send('POST', '/v1/namespaces', token, { namespace: 'claimed' })).status).toBe(403)
    const paid = await teams.send('POST', '/v1/billing/checkout', token, { tier: 'pro', cadence: 'monthly' })
    expect(paid.status).toBe(403)
  })
})

describe.each([
  ['planes', { planes: ['text'] }],
  ['groups', { groups: ['staff'] }],
])('a key that is kept to %s', (field, restriction) => {
  const refused = { status: 403, code: 'forbidden', detail: expect.stringMatching(`^${field}: `) }

  test.each([
    ['deletes no scope', (token: string) => teams.send('DELETE', '/v1/scopes/x', token)],
    ['deletes no namespace', (token: string, name: string) => teams.send('DELETE', `/v1/namespaces/${name}`, token)],
    [
      'deletes no principal',
      (token: string, name: string) => teams.send('DELETE', `/v1/principals/${name}-other`, token),
    ],
    [
      'grants nothing',
      (token: string, name: string) =>
        teams.send('POST', '/v1/grants', token, { principal_id: `${name}-other`, scope: 'x', perms: ['read'] }),
    ],
    [
      'creates no scope, which would grant it everything there',
      (token: string) => teams.send('POST', '/v1/scopes', token, { scope: 'x/new' }),
    ],
  ])('%s', async (_, attempt) => {
    const { namespace, everything, mint } = await teams.createTeam()
    await teams.app.principal({ id: `${namespace}-other`, namespace, groups: ['board'], grants: [] })
    const token = await mint(restriction)
    const before = await everything()
    const reply = await attempt(token, namespace)
    expect(reply).toMatchObject({ status: 403, body: { error: 'forbidden', detail: refused.detail } })
    expect(await everything()).toEqual(before)
  })

  test('takes no grant away', async () => {
    const { everything, mint, id } = await teams.createTeam()
    const token = await mint(restriction)
    const before = await everything()
    for (const grant of before.records.grants) {
      expect((await teams.send('DELETE', `/v1/grants/${grant.id}`, token)).status, id).toBe(403)
    }
    expect(await everything()).toEqual(before)
  })

  test('changes no scope', async () => {
    const { everything, mint } = await teams.createTeam()
    const token = await mint(restriction)
    const before = await everything()
    const { error } = await teams.run.updateScope('x', { planes: ['text'] }, { token })
    expect(error).toMatchObject(refused)
    expect(await everything()).toEqual(before)
  })

  test('neither exports the audit log nor sees all of it', async () => {
    const { namespace, boss, mint } = await teams.createTeam()
    const token = await mint(restriction)
    const exported = await teams.app.graphql('mutation { exportAudit { url } }', {}, { token })
    expect(errorOf(exported)).toMatchObject(refused)
    const whole = await teams.send('GET', '/v1/audit', boss)
    const seen = await teams.send('GET', '/v1/audit', token)
    expect(seen).toMatchObject({ status: 200, body: { namespace } })
    expect(seen.body.count).toBeLessThan(whole.body.count)
  })

  test('uses no golden queries, and publishes nothing for the namespace', async () => {
    const { boss, mint } = await teams.createTeam()
    const create = 'mutation { createGoldenQueries(queries: [{ q: "heron", expectedAnswers: ["a secret"] }]) { ids } }'
    const { body } = await teams.app.graphql(create, {}, { token: boss })
    const [id] = body.data.createGoldenQueries.ids
    const token = await mint(restriction)
    const fields = [
      'query { goldenQueries { queries { expectedAnswers } } }',
      'query { evaluationRuns { count } }',
      'mutation { createGoldenQueries(queries: [{ q: "heron", expectedAnswers: ["other"] }]) { ids } }',
      `mutation { deleteGoldenQueries(ids: ["${id}"]) { deleted } }`,
      'mutation { evaluate { run { id } } }',
      'mutation { publishReport(run: "any") { generatedAt } }',
    ]
    for (const field of fields)
      expect(errorOf(await teams.app.graphql(field, {}, { token })), field).toMatchObject(refused)
  })
})

describe('compaction', () => {
  test('is of the planes of the key unless it names some, and of no others', async () => {
    const { mint } = await teams.createTeam()
    const token = await mint({ planes: ['text', 'audio'] })
    const compacted = await teams.send('POST', '/v1/compaction', token, {})
    expect(compacted.body.planes.map(({ plane }: { plane: string }) => plane)).toEqual(['text', 'audio'])
    const other = await teams.send('POST', '/v1/compaction', token, { planes: ['text', 'visual'] })
    expect(other).toMatchObject({ status: 403, body: { detail: expect.stringContaining('visual') } })
    const ofGroups = await mint({ groups: ['staff'] })
    expect((await teams.send('POST', '/v1/compaction', ofGroups, {})).status).toBe(403)
  })
})

describe('ingest with an external id that the principal has used', () => {
  const unit = (external_id: string, more: object = {}) => ({
    units: [{ scope: 'x', text: 'changed', external_id, ...more }],
  })

  test('leaves a Unit of another plane as it is', async () => {
    const { everything, mint } = await teams.createTeam()
    const token = await mint({ planes: ['text'] })
    const before = await everything()
    const reply = await teams.send('POST', '/v1/ingest', token, unit('picture'))
    expect(reply).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect(await everything()).toEqual(before)
    // A move requires both planes.
    const visual = await mint({ planes: ['visual'] })
    expect((await teams.send('POST', '/v1/ingest', visual, unit('picture'))).status).toBe(403)
    expect(await everything()).toEqual(before)
    const both = await mint({ planes: ['text', 'visual'] })
    expect((await teams.send('POST', '/v1/ingest', both, unit('picture'))).body.counts).toMatchObject({ updated: 1 })
  })

  test('leaves a Unit of groups that the key has not as it is', async () => {
    const { everything, mint } = await teams.createTeam()
    const token = await mint({ groups: ['staff'] })
    const before = await everything()
    expect((await teams.send('POST', '/v1/ingest', token, unit('minutes'))).status).toBe(403)
    expect(await everything()).toEqual(before)
    const kept = await mint({ groups: ['board'] })
    expect((await teams.send('POST', '/v1/ingest', kept, unit('minutes'))).body.counts).toMatchObject({ updated: 1 })
  })

  test('updates what the key reaches, and says nothing of what others ingested', async () => {
    const { namespace, mint } = await teams.createTeam()
    const token = await mint({ planes: ['text'], groups: ['staff'] })
    expect((await teams.send('POST', '/v1/ingest', token, unit('words'))).body.counts).toMatchObject({ updated: 1 })
    const mate = await teams.app.principal({ id: `${namespace}-mate`, namespace })
    const { token: narrow } = await teams.keys.mint(mate, { planes: ['text'] })
    const reply = await teams.send('POST', '/v1/ingest', narrow, unit('picture'))
    expect(reply.body.counts).toMatchObject({ created: 1 })
  })

  test('updateUnit and restoreUnits reach no other plane either', async () => {
    const { boss, everything, mint } = await teams.createTeam()
    const { units } = await everything()
    const picture = units.find((one: { external_id: string }) => one.external_id === 'picture').unit_id
    const token = await mint({ planes: ['text'] })
    expect((await teams.run.updateUnit(picture, { aclGroups: ['*'] }, { token })).error?.status).toBe(404)
    await teams.send('POST', '/v1/units:delete', boss, { ids: [picture] })
    expect((await teams.run.restoreUnits([picture], { token })).data).toMatchObject({ matched: 0, restored: 0 })
    const replaced = { units: [{ scope: 'x', text: 'words', external_id: 'picture' }] }
    await teams.send('POST', '/v1/ingest', boss, replaced)
    const visual = await mint({ planes: ['visual'] })
    // The Unit that replaced it is in a plane that the key excludes.
    expect((await teams.run.restoreUnits([picture], { token: visual })).data).toMatchObject({ matched: 0, restored: 0 })
  })
})

describe('an agent with admin on everything', () => {
  async function createAgent() {
    const team = await teams.createTeam()
    const agent = await teams.app.principal({
      id: `${team.namespace}-bot`,
      namespace: team.namespace,
      kind: 'agent',
      groups: ['staff', 'board'],
    })
    const { error } = await teams.run.updateScope('x/below', { readOnlyAgents: true }, { token: team.boss })
    expect(error).toBeNull()
    return { ...team, agent }
  }

  test.each([
    ['the scope above one that is read-only to agents', '/v1/scopes/x'],
    ['that scope itself', '/v1/scopes/x%2Fbelow'],
    ['the namespace that holds it', null],
  ])('deletes not %s', async (_, path) => {
    const { namespace, agent, boss, everything } = await createAgent()
    const before = await everything()
    const target = path ?? `/v1/namespaces/${namespace}`
    expect((await teams.send('DELETE', target, agent)).status).toBe(403)
    expect(await everything()).toEqual(before)
    expect((await teams.send('DELETE', target, boss)).status).toBe(200)
  })

  test('deletes a scope that holds none', async () => {
    const { agent, boss } = await createAgent()
    await teams.send('POST', '/v1/scopes', boss, { scope: 'open' })
    expect((await teams.send('DELETE', '/v1/scopes/open', agent)).status).toBe(200)
  })

  test('takes no access to it away', async () => {
    const { namespace, agent, everything } = await createAgent()
    const id = `${namespace}-reader`
    await teams.app.principal({
      id,
      namespace,
      grants: [
        { scope: 'x', perms: ['read'] },
        { scope: 'other', perms: ['read'] },
      ],
    })
    const { records } = await everything()
    const on = (scope: string) => records.grants.find((grant: { scope: string }) => grant.scope === scope).id
    expect((await teams.send('DELETE', `/v1/grants/${on('x')}`, agent)).status).toBe(403)
    expect((await teams.send('DELETE', `/v1/principals/${id}`, agent)).status).toBe(403)
    expect((await everything()).records).toEqual(records)
    expect((await teams.send('DELETE', `/v1/grants/${on('other')}`, agent)).status).toBe(200)
  })
})
