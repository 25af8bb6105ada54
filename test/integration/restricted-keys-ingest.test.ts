import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiKeysOf } from '../support/api-keys.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { mutationsOf } from '../support/mutations.ts'
import { sender, teamsOf } from '../support/restricted-team.ts'

let app: TestApp
let send: ReturnType<typeof sender>
let createTeam: ReturnType<typeof teamsOf>
let keys: ReturnType<typeof apiKeysOf>
let run: ReturnType<typeof mutationsOf>

beforeAll(async () => {
  app = await boot()
  send = sender(app)
  createTeam = teamsOf(app)
  keys = apiKeysOf(app)
  run = mutationsOf(app)
})
afterAll(() => app.close())

describe('ingest with an external id that the principal has used', () => {
  const unit = (external_id: string, more: object = {}) => ({
    units: [{ scope: 'x', text: 'changed', external_id, ...more }],
  })

  test('leaves a Unit of another plane as it is', async () => {
    const { everything, mint } = await createTeam()
    const token = await mint({ planes: ['text'] })
    const before = await everything()
    const reply = await send('POST', '/v1/ingest', token, unit('picture'))
    expect(reply).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect(await everything()).toEqual(before)
    // A move requires both planes.
    const visual = await mint({ planes: ['visual'] })
    expect((await send('POST', '/v1/ingest', visual, unit('picture'))).status).toBe(403)
    expect(await everything()).toEqual(before)
    const both = await mint({ planes: ['text', 'visual'] })
    expect((await send('POST', '/v1/ingest', both, unit('picture'))).body.counts).toMatchObject({ updated: 1 })
  })

  test('leaves a Unit of groups that the key has not as it is', async () => {
    const { everything, mint } = await createTeam()
    const token = await mint({ groups: ['staff'] })
    const before = await everything()
    expect((await send('POST', '/v1/ingest', token, unit('minutes'))).status).toBe(403)
    expect(await everything()).toEqual(before)
    const kept = await mint({ groups: ['board'] })
    expect((await send('POST', '/v1/ingest', kept, unit('minutes'))).body.counts).toMatchObject({ updated: 1 })
  })

  test('updates what the key reaches, and says nothing of what others ingested', async () => {
    const { namespace, mint } = await createTeam()
    const token = await mint({ planes: ['text'], groups: ['staff'] })
    expect((await send('POST', '/v1/ingest', token, unit('words'))).body.counts).toMatchObject({ updated: 1 })
    const mate = await app.principal({ id: `${namespace}-mate`, namespace })
    const { token: narrow } = await keys.mint(mate, { planes: ['text'] })
    const reply = await send('POST', '/v1/ingest', narrow, unit('picture'))
    expect(reply.body.counts).toMatchObject({ created: 1 })
  })

  test('updateUnit and restoreUnits reach no other plane either', async () => {
    const { boss, everything, mint } = await createTeam()
    const { units } = await everything()
    const picture = units.find((one: { external_id: string }) => one.external_id === 'picture').unit_id
    const token = await mint({ planes: ['text'] })
    expect((await run.updateUnit(picture, { aclGroups: ['*'] }, { token })).error?.status).toBe(404)
    await send('POST', '/v1/units:delete', boss, { ids: [picture] })
    expect((await run.restoreUnits([picture], { token })).data).toMatchObject({ matched: 0, restored: 0 })
    const replaced = { units: [{ scope: 'x', text: 'words', external_id: 'picture' }] }
    await send('POST', '/v1/ingest', boss, replaced)
    const visual = await mint({ planes: ['visual'] })
    // The Unit that replaced it is in a plane that the key excludes.
    expect((await run.restoreUnits([picture], { token: visual })).data).toMatchObject({ matched: 0, restored: 0 })
  })
})
