import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService } from './service.ts'

let service: Service
let token: string
beforeAll(async () => {
  service = await startService()
  token = service.tokens.enterprise
})
afterAll(() => service.stop())

const number = expect.any(Number)
const run = async (query: string, as = token) =>
  (await service.call('POST', '/graphql', { token: as, body: { query } })).body
const ingest = async (scope: string, unit: object, as = token): Promise<string> => {
  const call = { token: as, body: { units: [unit] }, headers: { 'x-svc-scope': scope } }
  return (await service.call('POST', '/v1/ingest', call)).body.units[0].unit_id
}
const problem = (code: string, status: number) => ({
  errors: [expect.objectContaining({ extensions: { code, status } })],
})

describe('updateScope', () => {
  it('changes settings; REST has no PATCH for it', async () => {
    await service.call('POST', '/v1/scopes', { token, body: { scope: 'mut/one' } })
    const changed =
      await run(`mutation { updateScope(scope: "mut/one", input: {planes: [audio, text], readOnlyAgents: true})
      { scope namespace parent planes readOnlyAgents createdAt } }`)
    const scope = { scope: 'mut/one', namespace: 'enterprise', parent: null, createdAt: number }
    expect(changed.data.updateScope).toEqual({ ...scope, planes: ['text', 'audio'], readOnlyAgents: true })
    const patched = await service.call('PATCH', '/v1/scopes/mut%2Fone', { token, body: { planes: ['text'] } })
    expect(patched.status).toBe(404)
    const { body } = await service.call('GET', '/v1/scopes/mut%2Fone', { token })
    expect(body).toMatchObject({ planes: ['text', 'audio'], read_only_agents: true })
    const refused = await service.call('POST', '/v1/ingest', {
      token,
      body: { units: [{ text: 'seen', modality: 'image' }] },
      headers: { 'x-svc-scope': 'mut/one' },
    })
    expect(refused).toMatchObject({ status: 400, body: { error: 'bad_request' } })
    expect(refused.body.detail).toContain('units[0].plane')
  })

  it('takes admin', async () => {
    const change = 'mutation { updateScope(scope: "harbor/backend", input: {readOnlyAgents: true}) { scope } }'
    expect(await run(change, service.tokens.readonly)).toMatchObject(problem('forbidden', 403))
    expect(await run(change)).toMatchObject(problem('not_found', 404))
  })
})

describe('updateUnit and restoreUnits', () => {
  it('change a Unit in place, and bring it back', async () => {
    const id = await ingest('mut/two', { text: 'wharf', external_id: 'w', acl_groups: ['g'] })
    const updated =
      await run(`mutation { updateUnit(unitId: "${id}", input: {aclGroups: [], metadata: {Key_one: ["a"]}})
      { unit { unitId text aclOwner aclGroups metadata } seq indexed } }`)
    expect(updated.data.updateUnit).toEqual({
      unit: { unitId: id, text: 'wharf', aclOwner: 'enterprise-user', aclGroups: [], metadata: { Key_one: ['a'] } },
      seq: number,
      indexed: true,
    })
    const shown = await service.call('GET', `/v1/units/${id}`, { token })
    expect(shown.body).toMatchObject({ acl_groups: [], metadata: { Key_one: ['a'] } })
    expect(shown.body).not.toHaveProperty('version')

    await service.call('POST', '/v1/units:delete', { token, body: { ids: [id] } })
    expect(await run(`mutation { updateUnit(unitId: "${id}", input: {aclGroups: []}) { seq } }`)).toMatchObject(
      problem('not_found', 404),
    )
    const restore = `mutation { restoreUnits(ids: ["${id}", "unknown"]) { matched restored seq indexed } }`
    expect((await run(restore)).data.restoreUnits).toEqual({ matched: 1, restored: 1, seq: number, indexed: true })
    expect((await run(restore)).data.restoreUnits).toMatchObject({ matched: 1, restored: 0 })
    expect((await service.call('GET', `/v1/units/${id}`, { token })).body.metadata).toEqual({ Key_one: ['a'] })
  })

  it('take write', async () => {
    const { readonly } = service.tokens
    const id = await ingest('harbor/backend', { text: 'open', acl_groups: ['*'] }, service.tokens.admin)
    expect(
      await run(`mutation { updateUnit(unitId: "${id}", input: {aclGroups: []}) { seq } }`, readonly),
    ).toMatchObject(problem('forbidden', 403))
    expect(await run(`mutation { restoreUnits(ids: ["${id}"]) { seq } }`, readonly)).toMatchObject(
      problem('forbidden', 403),
    )
  })
})
