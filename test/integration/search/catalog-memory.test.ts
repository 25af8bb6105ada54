import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
let owner: string
let reader: string
beforeAll(async () => {
  app = await boot()
  owner = await app.principal({ id: 'ann', namespace: 'acme' })
  reader = await app.principal({ id: 'bob', namespace: 'acme', groups: ['staff'] })
})
afterAll(() => app.close())

const found = async (q: string) => {
  const { body } = await app.call('POST', '/v1/search', { token: reader, body: { q, top_k: 5 } })
  return body.hits.map(({ metadata }: { metadata: { round?: number } }) => metadata.round)
}

test('a search that follows an acknowledged change shows it, whatever searches ran beside it', async () => {
  const ingest = await app.call('POST', '/v1/ingest', {
    token: owner,
    body: { units: [{ scope: 'a', text: 'a grey heron', acl_groups: ['staff'] }] },
  })
  expect(ingest.status).toBe(200)
  const [{ unit_id: id }] = ingest.body.units
  const change = 'mutation ($id: String!, $input: UpdateUnitInput!) { updateUnit(unitId: $id, input: $input) { seq } }'
  for (let round = 0; round < 25; round++) {
    const isOpen = round % 2 === 0
    const input = { metadata: { round }, aclGroups: isOpen ? ['staff'] : [] }
    const beside = Array.from({ length: 6 }, () => found('heron'))
    const { body } = await app.graphql(change, { id, input }, { token: owner })
    expect(body.errors).toBeUndefined()
    expect(await found('heron')).toEqual(isOpen ? [round] : [])
    expect((await app.call('GET', `/v1/units/${id}`, { token: reader })).status).toBe(isOpen ? 200 : 404)
    await Promise.all(beside)
  }
})

// On a server nothing is kept in memory.
test.skipIf(process.env.TEST_DATABASE_URL)(
  'what was read once needs no database: all of it answers while that is busy',
  async () => {
    const ask = async () => [
      await found('heron'),
      (await app.call('GET', '/v1/context', { token: reader })).status,
      (await app.call('POST', '/v1/search', { token: owner, body: { q: 'grey', top_k: 5 } })).body.hits.length,
    ]
    const before = await ask()
    const { promise, resolve } = Promise.withResolvers<void>()
    // The embedded database has one connection, which this transaction holds.
    const busy = app.runtime.bindings.catalog.provision(() => promise)
    expect(await ask()).toEqual(before)
    resolve()
    await busy
  },
)
