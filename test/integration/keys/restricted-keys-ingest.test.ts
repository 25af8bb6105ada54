import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootTeams, type Teams } from '../../support/access/restricted-team.ts'

let teams: Teams
beforeAll(async () => {
  teams = await bootTeams()
})
afterAll(() => teams.app.close())

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
