import { getIntrospectionQuery } from 'graphql'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { least, worked } from '../../support/waited.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('GraphQL over HTTP', () => {
  const audits = serverAudits({
    url: 'http://localhost/graphql',
    fetchFn: (url: string, init: RequestInit) => app.app.fetch(new Request(url, init)),
  })

  it('all audits of GraphQL over HTTP are made', () => {
    expect(audits).toHaveLength(61)
  })

  it.each(audits)('$name', async ({ fn }) => {
    const { status, ...result } = await fn()
    expect([status, 'reason' in result ? result.reason : null]).toEqual(['ok', null])
  })

  it('a client that also accepts other types gets the status of the error', async () => {
    for (const accept of [undefined, '*/*', 'application/json, */*', 'application/graphql-response+json']) {
      const headers: Record<string, string> = accept === undefined ? {} : { accept }
      const { status } = await app.call('POST', '/graphql', { headers, body: { query: '{ nothing }' } })
      expect([accept, status]).toEqual([accept, 400])
    }
    // Only what GraphQL itself refuses.
    const headers = { accept: 'application/json' }
    const body = { documentId: 'sha256:00' }
    expect((await app.call('POST', '/graphql', { headers, body })).status).toBe(400)
  })
})

describe('the worst documents', () => {
  let token: string
  beforeAll(async () => {
    token = await app.principal({ id: 'owner', namespace: 'works' })
    const units = Array.from({ length: 200 }, (_, i) => ({
      text: `A kayak in the fog, number ${i}.`,
      acl_groups: ['*'],
    }))
    await app.call('POST', '/v1/ingest', { token, scope: 'main', body: { units } })
  })

  const many = (count: number, text: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => text(i)).join(' ')
  const everything = 'hits { highlights { start } explain { leg } text } trace { legs { engine } }'
  const wholeSchema = '__schema { types { fields { name args { name type { name } } } inputFields { name } } }'

  /** The worst documents known: each costs much more than it is long. Those with `refused` never run. */
  const documents: readonly (readonly [name: string, query: string, refused?: RegExp])[] = [
    [
      'searches with all their details',
      `{ ${many(30, (i) => `a${i}: search(input: {q: "fog", topK: 50}) { ${everything} }`)} }`,
      /cost at most 10000/,
    ],
    [
      'long queries',
      `{ ${many(30, (i) => `a${i}: search(input: {q: "${'fog '.repeat(2_025)}"}) { hiddenByAcl }`)} }`,
      /cost at most 10000/,
    ],
    [
      'rankings of pages',
      `{ ${many(30, (i) => `a${i}: units(limit: 100) { units { unitId text metadata locator { __typename } } }`)} }`,
      /cost at most 10000/,
    ],
    [
      'mutations one after the other',
      `mutation { ${many(20, (i) => `a${i}: compact { planes { plane } }`)} }`,
      /cost at most 10000/,
    ],
    ['an answer often', `{ ${many(40, (i) => `a${i}: answer(input: {q: "fog"}) { answer { text } }`)} }`, /30 aliases/],
    [
      'fragments that double forty times',
      `{ ...F0 } ${many(40, (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)} fragment F40 on Query { health { status } }`,
      /500 fields/,
    ],
    ['a fragment in itself', `{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`, /itself/],
    ['a field many times', `{ ${many(499, () => 'health { status }')} }`, /500 fields/],
    ['fields that are compared with each other', `{ ${many(249, () => 'health { status }')} }`],
    [
      'fragments that are compared with each other',
      `{ ${many(165, (i) => `...F${i}`)} } ${many(165, (i) => `fragment F${i} on Query { health { status version } }`)}`,
    ],
    ['the schema often', `{ ${many(6, (i) => `a${i}: ${wholeSchema}`)} }`, /introspect under at most 5 aliases/],
    ['the schema five times', `{ ${many(5, (i) => `a${i}: ${wholeSchema}`)} }`],
    [
      'the schema in circles',
      '{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
      /depth/,
    ],
    ['the whole schema', getIntrospectionQuery()],
    ['many brackets', `{ unit(unitId: ${'['.repeat(2_400)}${']'.repeat(2_400)}) { unitId } }`, /nested too deeply/],
    ['nested selections', `{ ${'... { '.repeat(1_600)} __typename ${'}'.repeat(1_600)} }`],
    ['names that are nearly right', `{ ${many(499, (i) => `serach${i}`)} }`, /Cannot query field/],
    ['repeated directives', `{ health ${many(1_600, () => '@skip(if: true)')} { status } }`, /tokens/],
    ['unused variables', `query (${many(1_200, (i) => `$v${i}: Int`)}) { __typename }`, /never used/],
    [
      'members of an input, again and again',
      `{ search(input: {${many(1_600, () => 'q: "x"')}}) { __typename } }`,
      /only one/,
    ],
    ['a long comment', `{ health { status } } #${'x'.repeat(2 ** 21)}`, /characters/],
  ]

  const maxCpuMs = 100
  const cpuMs = (query: string) => worked(() => app.graphql(query, {}, { token }))

  it.each(documents.map(([name, query, refused]) => ({ name, query, refused })))(
    '$name: refused, or done soon',
    async ({ query, refused }) => {
      const { status, body } = await app.graphql(query, {}, { token })
      expect(body.extensions.cost).toEqual({ requested: expect.any(Number), limit: 10_000 })
      if (refused) {
        expect([status, body.data, body.errors[0].extensions.code]).toEqual([400, undefined, 'bad_request'])
        expect(body.errors[0].message).toMatch(refused)
      } else expect([status, body.errors]).toEqual([200, undefined])
      expect(await least(maxCpuMs, () => cpuMs(query))).toBeLessThan(maxCpuMs)
    },
  )

  it('a batch sent thirty times is refused, and one of the most Units is taken', async () => {
    const owner = await app.principal({ id: 'clerk', namespace: 'office' })
    const ingest = (times: number) => {
      const fields = many(times, (i) => `a${i}: ingest(input: {units: $units}) { counts { created } }`)
      const units = Array.from({ length: 1_000 }, (_, i) => ({ externalId: `u${i}`, text: `Letter ${i}` }))
      return app.graphql(`mutation ($units: [UnitInput!]!) { ${fields} }`, { units }, { token: owner, scope: 'main' })
    }
    expect((await ingest(1)).body).toMatchObject({ data: { a0: { counts: { created: 1_000 } } } })
    const { status, body } = await ingest(30)
    expect([status, body.data, body.errors[0].message]).toEqual([400, undefined, expect.stringMatching(/cost at most/)])
  })

  it('nothing that was refused is in the audit log', async () => {
    const { body } = await app.graphql('{ audit { rows { action } } }', {}, { token })
    const actions = new Set(body.data.audit.rows.map(({ action }: { action: string }) => action))
    for (const action of ['search.run', 'answer.run', 'units.list', 'index.compact'])
      expect(actions).not.toContain(action)
  })
})
