import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootTeams, type Teams } from '../../support/access/restricted-team.ts'

let teams: Teams
beforeAll(async () => {
  teams = await bootTeams()
})
afterAll(() => teams.app.close())

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
