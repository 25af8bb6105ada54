import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../support/boot.ts'
import { mutationsOf } from '../support/mutations.ts'
import { sender, teamsOf } from '../support/restricted-team.ts'

let app: TestApp
let send: ReturnType<typeof sender>
let createTeam: ReturnType<typeof teamsOf>
let run: ReturnType<typeof mutationsOf>

beforeAll(async () => {
  app = await boot()
  send = sender(app)
  createTeam = teamsOf(app)
  run = mutationsOf(app)
})
afterAll(() => app.close())

describe('an agent with admin on everything', () => {
  async function createAgent() {
    const team = await createTeam()
    const agent = await app.principal({
      id: `${team.namespace}-bot`,
      namespace: team.namespace,
      kind: 'agent',
      groups: ['staff', 'board'],
    })
    const { error } = await run.updateScope('x/below', { readOnlyAgents: true }, { token: team.boss })
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
    expect((await send('DELETE', target, agent)).status).toBe(403)
    expect(await everything()).toEqual(before)
    expect((await send('DELETE', target, boss)).status).toBe(200)
  })

  test('deletes a scope that holds none', async () => {
    const { agent, boss } = await createAgent()
    await send('POST', '/v1/scopes', boss, { scope: 'open' })
    expect((await send('DELETE', '/v1/scopes/open', agent)).status).toBe(200)
  })

  test('takes no access to it away', async () => {
    const { namespace, agent, everything } = await createAgent()
    const id = `${namespace}-reader`
    await app.principal({
      id,
      namespace,
      grants: [
        { scope: 'x', perms: ['read'] },
        { scope: 'other', perms: ['read'] },
      ],
    })
    const { records } = await everything()
    const on = (scope: string) => records.grants.find((grant: { scope: string }) => grant.scope === scope).id
    expect((await send('DELETE', `/v1/grants/${on('x')}`, agent)).status).toBe(403)
    expect((await send('DELETE', `/v1/principals/${id}`, agent)).status).toBe(403)
    expect((await everything()).records).toEqual(records)
    expect((await send('DELETE', `/v1/grants/${on('other')}`, agent)).status).toBe(200)
  })
})
