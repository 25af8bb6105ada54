import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf } from '../../support/access/api-keys.ts'
import { bootTeams, type Teams } from '../../support/access/restricted-team.ts'

let teams: Teams
beforeAll(async () => {
  teams = await bootTeams()
})
afterAll(() => teams.app.close())

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
