import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { apiKeysOf, errorOf } from '../../support/access/api-keys.ts'
import { eventsOf, subscribe } from '../../support/access/events.ts'
import { boot, type TestApp } from '../../support/boot.ts'

const salary = 83_250
const hiddenAt = 1_700_000_123_456

let now = hiddenAt
let app: TestApp
let keeper: string
let reader: string
beforeAll(async () => {
  app = await boot({ bindings: { clock: { now: () => now } } })
  keeper = await app.principal({ id: 'keeper', namespace: 'works', groups: ['board'] })
  reader = await app.principal({
    ...{ id: 'reader', namespace: 'works', readOnly: true },
    grants: [{ scope: 'a', perms: ['read'] }],
  })
  const locator = { kind: 'time_range', t_start_ms: 700, t_end_ms: 900 }
  const file = { source_uri: 's3://vault/ada.mp4', mime: 'video/mp4', modality: 'chunk', doc_id: 'ada', locator }
  const hidden = [
    { text: 'The contract of Ada.', external_id: 'contract-ada', metadata: { salary }, vector: [1, 0, 0], ...file },
    { text: 'The contract for the crane costs 41 million.', acl_owner: 'chair', acl_groups: ['board'] },
  ].map((unit) => ({ acl_groups: [], ...unit }))
  const open = ['The contract of the canteen.', 'A crane stands at the quay.', 'Million of gulls.'].map((text, i) => ({
    ...{ text, acl_groups: ['*'], external_id: `open-${i}` },
    metadata: { salary: i },
  }))
  await ingest(hidden)
  now += 1000
  await ingest(open)
})
afterAll(() => app.close())
beforeEach(() => set('exact'))

async function ingest(units: object[]) {
  const reply = await app.call('POST', '/v1/ingest', { token: keeper, scope: 'a', body: { units } })
  expect(reply.body).toMatchObject({ indexed: true })
}

const set = (hiddenCount: string | undefined, token = keeper, namespace = 'works') =>
  app.graphql(
    'mutation ($input: UpdateNamespaceInput!) { updateNamespace(input: $input) { namespace hiddenCount } }',
    { input: { namespace, hiddenCount } },
    { token },
  )

const post = async (path: string, body: object, token = reader) => {
  const reply = await app.call('POST', path, { token, body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body
}
const searched = async (body: object, token = reader): Promise<number> =>
  (await post('/v1/search', body, token)).hidden_by_acl

describe('the number of hidden hits depends on the words, the scopes and the planes alone', () => {
  const probes: [string, object][] = [
    ['a range of metadata that holds', { filters: { metadata: { salary: { gte: salary, lte: salary } } } }],
    ['a range of metadata that does not hold', { filters: { metadata: { salary: { gte: salary + 1 } } } }],
    ['an equal value', { filters: { metadata: { salary } } }],
    ['the millisecond of creation', { filters: { created_after: hiddenAt, created_before: hiddenAt } }],
    ['another millisecond', { filters: { created_after: hiddenAt + 1, created_before: hiddenAt + 1 } }],
    ['the owner', { filters: { acl_owner: ['chair'] } }],
    ['another owner', { filters: { acl_owner: ['nobody'] } }],
    ['an external id that exists', { filters: { external_id: ['contract-ada'] } }],
    ['an external id that does not', { filters: { external_id: ['contract-bo'] } }],
    ['a document', { filters: { doc_id: ['ada'] } }],
    ['a source', { filters: { source_uri: ['s3://vault/ada.mp4'] } }],
    ['a type', { filters: { mime: ['video/mp4'] } }],
    ['a modality', { filters: { modality: ['chunk'] } }],
    ['a time in the source', { filters: { time_range: { t_start_ms: 800, t_end_ms: 801 } } }],
    ['a threshold', { min_score: 0.5 }],
    ['the highest threshold', { min_score: 1 }],
    ['a vector near to it', { vector: { text: [1, 0, 0] } }],
    ['a vector far from it', { vector: { text: [-1, 0, 0] } }],
    ['no syntax', { query_syntax: 'plain' }],
    ['a beginning', { prefix: 'last' }],
    ['a reranker', { rerank: true }],
    ['an answer', { answer: true, agentic: false, min_confidence: 1 }],
    ['earlier turns', { answer: true, history: [{ q: 'What is at the quay?', answer: 'A crane, for 41 million.' }] }],
  ]
  /** Fields that only GraphQL has. */
  const others: [string, object][] = [
    ['the weight of vectors', { vectorWeight: 0 }],
    ['another weight', { vectorWeight: 100, vector: { text: [1, 0, 0] } }],
    ['a language', { language: 'vi' }],
    ['diversity', { diversity: 1 }],
  ]
  const asked = [
    { q: 'contract', top_k: 2 },
    { q: '41 million', top_k: 1 },
    { q: 'Who signed it?', top_k: 3 },
    { q: 'crane', top_k: 50, planes: ['text', 'audio'] },
  ]

  test.each(asked)('of $q in $top_k', async (query) => {
    const expected = await searched(query)
    const told: Record<string, number> = {}
    for (const [name, probe] of probes) {
      told[name] = await searched({ ...query, ...probe })
      const { hidden_by_acl } = await post('/v1/answer', { ...query, ...probe })
      told[`${name}, of an answer`] = hidden_by_acl
    }
    const { top_k: topK, ...rest } = query
    for (const [name, probe] of others) {
      const input = { topK, ...rest, ...probe }
      const found = 'query ($input: SearchInput!) { search(input: $input) { hiddenByAcl } }'
      told[name] = (await app.graphql(found, { input }, { token: reader })).body.data.search.hiddenByAcl
    }
    expect(told).toEqual(Object.fromEntries(Object.keys(told).map((name) => [name, expected])))
  })

  test('it counts what a caller without limits would get', async () => {
    expect(await searched({ q: 'contract', top_k: 50 })).toBe(2)
    expect(await searched({ q: '41 million', top_k: 1 })).toBe(1)
    expect(await searched({ q: 'canteen gulls quay', top_k: 3 })).toBe(0)
    expect(await searched({ q: 'contract', top_k: 50, planes: ['audio'] })).toBe(0)
    expect(await searched({ q: 'contract', top_k: 50 }, keeper)).toBe(0)
  })

  test('without words it is of all Units, whatever the filters and vectors', async () => {
    const told = []
    for (const [, probe] of probes.filter(([, one]) => 'filters' in one || 'vector' in one))
      told.push(await searched({ q: '', ...probe }))
    expect(told).toEqual(told.map(() => 2))
  })

  test('what a key leaves out of the groups counts as hidden', async () => {
    const { token } = await apiKeysOf(app).mint(keeper, { groups: [] })
    expect(await searched({ q: '41 million', top_k: 1 }, token)).toBe(1)
    expect(await searched({ q: '41 million', top_k: 1, filters: { acl_owner: ['nobody'] } }, token)).toBe(1)
  })

  test('that of a list does not obey the filters of the list', async () => {
    const list = async (filters: object) =>
      (
        await app.graphql(
          'query ($f: SearchFiltersInput) { units(filters: $f) { hiddenByAcl } }',
          { f: filters },
          { token: reader },
        )
      ).body.data.units.hiddenByAcl
    for (const filters of [{}, { externalId: ['contract-ada'] }, { externalId: ['contract-bo'] }]) {
      expect(await list(filters)).toBe(2)
    }
  })
})

/** What every door says of hidden Units. */
async function everywhere(token: string): Promise<Record<string, number[]>> {
  const query = { q: 'contract', top_k: 50 }
  const input = { q: 'contract', topK: 50 }
  const count = 'hiddenByAcl'
  const graphql = await app.graphql(
    `query ($i: SearchInput!) { search(input: $i) { ${count} } answer(input: $i) { ${count} } units { ${count} } }`,
    { i: input },
    { token },
  )
  const tool = async (name: string, args: object) => {
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
    const reply = await app.call('POST', '/mcp', { token, headers, body })
    const message = typeof reply.body === 'string' ? reply.body.split('data: ').at(-1) : JSON.stringify(reply.body)
    return JSON.parse(message ?? '').result.structuredContent.hidden_by_acl
  }
  const events: number[] = []
  const subscription = `subscription ($i: SearchInput!) { answer(input: $i) { ... on AnswerSearched { result { ${count} } }
    ... on AnswerFinished { result { ${count} } } } }`
  for await (const { event, data } of eventsOf(await subscribe(app, token, subscription, { i: input }))) {
    if (event === 'next' && data.data.answer.result) events.push(data.data.answer.result.hiddenByAcl)
  }
  return {
    rest: [await searched(query, token), (await post('/v1/answer', query, token)).hidden_by_acl],
    list: [(await app.call('GET', '/v1/units', { token })).body.hidden_by_acl],
    graphql: Object.values(graphql.body.data).map((one) => (one as { hiddenByAcl: number }).hiddenByAcl),
    tools: [
      await tool('search', { query: 'contract', top_k: 50 }),
      await tool('answer', { question: 'contract', top_k: 50 }),
    ],
    events,
  }
}

const said = (number: number) => ({
  rest: [number, number],
  list: [number],
  graphql: [number, number, number],
  tools: [number, number],
  events: [number, number],
})

const viewed = async (token: string) => {
  const { body } = await app.graphql(
    `{ searchAs(principalId: "reader", input: { q: "contract", topK: 50 }) { hiddenByAcl }
       unitsAs(principalId: "reader") { hiddenByAcl } }`,
    {},
    { token, scope: 'a' },
  )
  return [body.data.searchAs.hiddenByAcl, body.data.unitsAs.hiddenByAcl]
}

describe('what answers say of hidden Units', () => {
  const settings = { off: 0, some: 1, exact: 2 }
  const names = ['off', 'some', 'exact'] as const

  test.each(names)('is set to %s for a namespace', async (setting) => {
    expect((await set(setting)).body.data.updateNamespace).toEqual({ namespace: 'works', hiddenCount: setting })
    expect(await everywhere(reader)).toEqual(said(settings[setting]))
    expect(await viewed(keeper)).toEqual([settings[setting], settings[setting]])
    const { body } = await app.graphql('{ namespace(name: "works") { hiddenCount } }', {}, { token: keeper })
    expect(body.data.namespace.hiddenCount).toBe(setting)
  })

  test('is the less of what the namespace and the key allow', async () => {
    const tokens = new Map<string, string>()
    for (const hiddenCount of names) tokens.set(hiddenCount, (await apiKeysOf(app).mint(reader, { hiddenCount })).token)
    for (const setting of names) {
      await set(setting)
      for (const [key, token] of tokens) {
        const least = Math.min(settings[setting], settings[key as 'off'])
        expect(await everywhere(token), `${setting}, ${key}`).toEqual(said(least))
      }
    }
  })

  test('is no more to an admin that looks as another principal than to its key', async () => {
    for (const hiddenCount of names) {
      const { token } = await apiKeysOf(app).mint(keeper, { hiddenCount })
      expect(await viewed(token)).toEqual([settings[hiddenCount], settings[hiddenCount]])
    }
  })

  test('stays as it is where nothing is given, and is recorded', async () => {
    await set('some')
    const unchanged = await set(undefined)
    expect(unchanged.body.data.updateNamespace.hiddenCount).toBe('some')
    const { body } = await app.call('GET', '/v1/audit?limit=1', { token: keeper })
    expect(body.rows[0]).toMatchObject({
      ...{ action: 'namespace.update', target: 'works', principal_id: 'keeper' },
      detail: { hidden_count: 'some' },
    })
  })

  test('is changed by an admin principal of the namespace alone', async () => {
    const stranger = await app.principal({ id: 'stranger', namespace: 'elsewhere' })
    const same = { status: 403, code: 'forbidden', detail: 'an admin principal of the namespace is required' }
    expect(errorOf(await set('exact', reader))).toEqual(same)
    expect(errorOf(await set('exact', stranger))).toEqual(same)
    expect(errorOf(await set('exact', keeper, 'no-such'))).toEqual(same)
    const wrong = await set('all')
    expect(errorOf(wrong)).toMatchObject({ status: 400, code: 'bad_request' })
    expect(errorOf(wrong)?.detail).toMatch(/hiddenCount/)
  })
})

describe('a key that sees less', () => {
  const refused = { status: 403, code: 'forbidden', detail: expect.stringMatching(/^hiddenCount: /) }
  const mint = async (hiddenCount: string) => (await apiKeysOf(app).mint(keeper, { hiddenCount })).token

  test('makes keys that see no more', async () => {
    const token = await mint('some')
    const keys = apiKeysOf(app)
    const heir = await keys.create({ name: 'heir' }, { token })
    expect(heir.body.data.createApiKey.key.hiddenCount).toBe('some')
    expect(errorOf(await keys.create({ name: 'wide', hiddenCount: 'exact' }, { token }))).toMatchObject(refused)
    const narrow = await keys.create({ name: 'narrow', hiddenCount: 'off' }, { token })
    expect(narrow.body.data.createApiKey.key.hiddenCount).toBe('off')
    const listed = await keys.list({ token: narrow.body.data.createApiKey.token })
    expect(listed.body.data.apiKeys.keys.map((key: { hiddenCount: string }) => key.hiddenCount)).not.toContain('some')
  })

  test('makes principals whose tokens see no more', async () => {
    const token = await mint('off')
    const made = await app.call('POST', '/v1/principals', { token, body: { name: 'made' } })
    expect(made.status).toBe(200)
    const { principal_id, token: theirs } = made.body
    const grant = { principal_id, scope: 'a', perms: ['read'] }
    expect((await app.call('POST', '/v1/grants', { token: keeper, body: grant })).status).toBe(200)
    expect(await everywhere(theirs)).toEqual(said(0))
    expect(await everywhere((await apiKeysOf(app).mint(theirs)).token)).toEqual(said(0))
  })

  test('neither grants, nor invites, nor changes what the namespace sees', async () => {
    const token = await mint('some')
    const grant = { principal_id: 'reader', scope: 'b', perms: ['read'] }
    const granted = await app.call('POST', '/v1/grants', { token, body: grant })
    expect(granted).toMatchObject({ status: 403, body: { detail: refused.detail } })
    const invite = 'mutation { createInvitation(input: { scope: "a", perms: [read] }) { url } }'
    expect(errorOf(await app.graphql(invite, {}, { token }))).toMatchObject(refused)
    expect(errorOf(await set('exact', token))).toMatchObject(refused)
  })
})
