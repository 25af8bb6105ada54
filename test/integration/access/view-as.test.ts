import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../../src/graphql/schema.ts'
import { selectionOf } from '../../support/access/selection.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'

let app: TestApp
let admin: string
let worker: string
let guest: string

const unit = (text: string, scope: string, acl_groups: string[], more: object = {}) => ({
  text,
  scope,
  acl_groups,
  ...more,
})

beforeAll(async () => {
  app = await boot()
  admin = await app.principal({ id: 'admin', namespace: 'yard', groups: ['red', 'blue', 'green'] })
  const reads = (scope: string, groups: string[] = []) => ({ scope, perms: ['read' as const], groups })
  worker = await app.principal({
    ...{ id: 'worker', namespace: 'yard', groups: ['red'], activeScope: 'dock' },
    grants: [reads('dock'), reads('shed')],
  })
  const here = (scope: string, groups: string[]) => ({ ...reads(scope, groups), namespace: 'yard' })
  guest = await app.principal({
    id: 'guest',
    namespace: 'other',
    grants: [here('dock', ['blue']), here('shed', ['green'])],
  })
  await app.principal({ id: 'nobody', namespace: 'yard', grants: [] })
  await app.principal({ id: 'secretary', namespace: 'yard', groups: ['red', 'violet'], grants: [reads('*')] })
  const units = [
    unit('The red crane lifts the red boat.', 'dock', ['red'], { doc_id: 'cranes', metadata: { year: 2024 } }),
    unit('The blue crane lifts the blue boat and the red boat.', 'dock', ['blue'], { doc_id: 'cranes' }),
    unit('A boat is painted in the shed by the green crew.', 'shed', ['green', 'red']),
    unit('Everyone may use the boat.', 'dock/east', ['*'], { modality: 'image' }),
    unit('The boat of the office.', 'office', ['*']),
    unit('The violet boat is a secret of the secretary.', 'dock', ['violet']),
  ]
  const keeper = await app.principal({ id: 'keeper', namespace: 'yard' })
  const reply = await app.call('POST', '/v1/ingest', { token: keeper, body: { units } })
  expect(reply.body).toMatchObject({ indexed: true })
})
afterAll(() => app.close())

const result = selectionOf(schema.getType('SearchResult') as never)
const page = selectionOf(schema.getType('UnitPage') as never)
const same = { 'x-request-id': 'the-same' }

const ask = async (query: string, variables: object, options: CallOptions) => {
  const { body } = await app.graphql(query, { ...variables }, { namespace: 'yard', headers: same, ...options })
  return body.errors?.[0] ? body.errors[0].extensions : Object.values(body.data)[0]
}
const search = (token: string, input: object, scope?: string) =>
  ask(`query ($input: SearchInput!) { search(input: $input) ${result} }`, { input }, { token, ...(scope && { scope }) })
const searchAs = (principalId: string, input: object, scope?: string, token = admin) =>
  ask(
    `query ($principalId: String!, $input: SearchInput!) { searchAs(principalId: $principalId, input: $input) ${result} }`,
    { principalId, input },
    { token, ...(scope && { scope }) },
  )
const units = (token: string, args: object, scope?: string) =>
  ask(
    `query ($filters: SearchFiltersInput, $cursor: SafeInt, $limit: Int) {
      units(filters: $filters, cursor: $cursor, limit: $limit) ${page} }`,
    args,
    { token, ...(scope && { scope }) },
  )
const unitsAs = (principalId: string, args: object, scope?: string, token = admin) =>
  ask(
    `query ($principalId: String!, $filters: SearchFiltersInput, $cursor: SafeInt, $limit: Int) {
      unitsAs(principalId: $principalId, filters: $filters, cursor: $cursor, limit: $limit) ${page} }`,
    { principalId, ...args },
    { token, ...(scope && { scope }) },
  )

/** As it was sent, without what differs between two requests. */
const bytes = (value: unknown) =>
  JSON.stringify(value, (key, one) => (['tookMs', 'seq', 'indexSeq', 'requestId'].includes(key) ? 0 : one))

const textsOf = ({ hits }: { hits: { text: string }[] }) => hits.map(({ text }) => text)

describe('where the admin may read all that the principal may', () => {
  const inputs = [
    { q: 'red boat' },
    { q: 'crane', topK: 1, rerank: true },
    { q: 'boat', scope: 'shed' },
    { q: 'boat', scope: '*', planes: ['visual'] },
    { q: '', filters: { docId: ['cranes'] } },
    { q: 'painted', vector: {} },
  ]

  it.each(inputs)('a search is byte for byte its own: %j', async (input) => {
    for (const [id, token] of [
      ['worker', worker],
      ['guest', guest],
    ] as const) {
      for (const scope of [undefined, '*', 'dock', 'shed']) {
        expect(bytes(await searchAs(id, input, scope))).toBe(bytes(await search(token, input, scope)))
      }
    }
  })

  it('a list is, too, and so are refusals', async () => {
    for (const [id, token] of [
      ['worker', worker],
      ['guest', guest],
    ] as const) {
      for (const scope of [undefined, '*', 'dock/east', 'shed', 'office', 'no/such']) {
        for (const args of [{}, { limit: 1, cursor: 1 }, { filters: { docId: ['cranes'] } }]) {
          expect(bytes(await unitsAs(id, args, scope))).toBe(bytes(await units(token, args, scope)))
        }
        expect(bytes(await searchAs(id, { q: 'boat' }, scope))).toBe(bytes(await search(token, { q: 'boat' }, scope)))
      }
    }
    expect(await unitsAs('nobody', {})).toMatchObject({ code: 'forbidden', status: 403 })
  })
})

describe('where the principal may read more than the admin', () => {
  const narrow = async (restrictions: string) => {
    const mint = `mutation { createApiKey(input: { name: "n", ${restrictions} }) { token } }`
    return (await app.graphql(mint, {}, { token: admin })).body.data.createApiKey.token
  }

  it('shows only what both may read, ranked as if there were no more', async () => {
    const found = await searchAs('secretary', { q: 'boat', topK: 50 }, '*')
    expect(JSON.stringify(found.hits)).not.toContain('violet')
    expect(textsOf(found)).toHaveLength(4)
    // Those of violet and of blue lie outside of it.
    expect(found.hiddenByAcl).toBe(2)
    // The worker, in all scopes, may read exactly that set.
    const twin = await app.principal({
      ...{ id: 'twin', namespace: 'yard', groups: ['red'] },
      grants: [{ scope: '*', perms: ['read'] }],
    })
    const own = await search(twin, { q: 'boat', topK: 50 }, '*')
    expect(bytes({ ...found, context: null })).toBe(bytes({ ...own, context: null }))
    expect((await unitsAs('secretary', {}, '*')).units).toEqual((await units(twin, {}, '*')).units)
  })

  it('a key of the admin narrows it further', async () => {
    const blue = await narrow('groups: ["blue"]')
    expect(textsOf(await searchAs('secretary', { q: 'boat', topK: 50 }, '*', blue)).sort()).toEqual([
      'Everyone may use the boat.',
      'The boat of the office.',
    ])
    const text = await narrow('planes: [text]')
    expect(textsOf(await searchAs('worker', { q: 'boat', topK: 50 }, '*', text))).not.toContain(
      'Everyone may use the boat.',
    )
    const blind = await narrow('perms: [admin]')
    expect((await unitsAs('worker', {}, '*', blind)).units).toEqual([])
  })
})

it('is refused to others, and for principals of elsewhere', async () => {
  expect(await searchAs('admin', { q: 'boat' }, undefined, worker)).toMatchObject({ code: 'forbidden' })
  await app.principal({ id: 'stranger', namespace: 'other' })
  for (const id of ['stranger', 'unknown', 'super-admin']) {
    expect(await searchAs(id, { q: 'boat' })).toMatchObject({ code: 'not_found', status: 404 })
    expect(await unitsAs(id, {})).toMatchObject({ code: 'not_found' })
  }
  expect(await searchAs('worker', { q: 'boat', topK: 10, answer: true })).toMatchObject({
    code: 'bad_request',
    field: ['answer'],
  })
  expect((await searchAs('worker', { q: 'boat' }, 'dock', superAdminToken)).hits).toHaveLength(2)
})

it('is recorded, and the principal may read the row', async () => {
  await unitsAs('worker', {}, 'dock')
  await searchAs('worker', { q: 'crane' }, 'dock')
  const rowsFor = async (token: string) => {
    const { rows } = (await app.call('GET', '/v1/audit?limit=100', { token, namespace: 'yard' })).body
    return rows.filter(({ action }: { action: string }) => action === 'access.view_as')
  }
  const own = await rowsFor(worker)
  expect(own.slice(0, 2)).toMatchObject([
    {
      principal_id: 'admin',
      target: 'worker',
      detail: { operation: 'search', scope: 'dock', hits: expect.any(Number) },
    },
    { principal_id: 'admin', target: 'worker', detail: { operation: 'units', scope: 'dock', hits: 2 } },
  ])
  expect(own[0].detail.query_hmac).toMatch(/^[0-9a-f]{64}$/)
  expect(own.every(({ target }: { target: string }) => target === 'worker')).toBe(true)
})
