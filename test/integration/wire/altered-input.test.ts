import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { taken } from '../../support/documents/files.ts'

let app: TestApp
let token: string

beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'ada', namespace: 'acme' })
})
afterAll(() => app?.close())

const rest = (path: string, body: string) => app.call('POST', path, { token, scope: 'main', body })
const graphql = (query: string, variables = '{}') =>
  app.call('POST', '/graphql', {
    token,
    scope: 'main',
    body: `{"query": ${JSON.stringify(query)}, "variables": ${variables}}`,
  })
const tool = (name: string, args: string) =>
  app.call('POST', '/mcp', {
    token,
    scope: 'main',
    headers: { accept: 'application/json, text/event-stream' },
    body: `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "${name}", "arguments": ${args}}}`,
  })

/** Numbers that reading JSON alters. */
const rounded = ['9007199254740993', '-9007199254740993', '9007199254740992', '1234567890123456789', '1e20', '1e300']
const exact = ['9007199254740991', '-9007199254740991', '0.1', '-0.5e-3', '1e-320', '12e3']

describe('a number that would be rounded', () => {
  /** Each door: a request that has the number, and where the number is in it. */
  const doors: [string, string, (value: string) => Promise<{ body: unknown }>][] = [
    [
      'ingest',
      'units[1].metadata.n',
      (n) => rest('/v1/ingest', `{"units": [{"text": "a"}, {"text": "b", "metadata": {"n": ${n}}}]}`),
    ],
    [
      'ingest by a variable',
      'units[0].metadata.n',
      (n) =>
        graphql(
          'mutation ($input: IngestInput!) { ingest(input: $input) { seq } }',
          `{"input": {"units": [{"text": "a", "metadata": {"n": ${n}}}]}}`,
        ),
    ],
    [
      'ingest by a literal',
      'units[0].metadata.n',
      (n) => graphql(`mutation { ingest(input: {units: [{text: "a", metadata: {n: ${n}}}]}) { seq } }`),
    ],
    [
      'an update',
      'metadata.n',
      (n) => graphql(`mutation { updateUnit(unitId: "u", input: {metadata: {n: ${n}}}) { seq } }`),
    ],
    [
      'a document',
      'metadata.n',
      (n) =>
        graphql(
          `mutation { ingestDocument(input: {sourceUri: "source://x", name: "x", metadata: {n: ${n}}}) { status } }`,
        ),
    ],
    ['a filter', 'filters.metadata.n', (n) => rest('/v1/search', `{"q": "a", "filters": {"metadata": {"n": ${n}}}}`)],
    [
      'a list in a filter',
      'filters.metadata.n[1]',
      (n) => rest('/v1/search', `{"q": "a", "filters": {"metadata": {"n": [1, ${n}]}}}`),
    ],
    [
      'a range in a filter',
      'filters.metadata.n.gte',
      (n) => rest('/v1/search', `{"q": "a", "filters": {"metadata": {"n": {"gte": ${n}}}}}`),
    ],
    [
      'a filter by a literal',
      'filters.metadata.n.lte',
      (n) => graphql(`{ search(input: {q: "a", filters: {metadata: {n: {lte: ${n}}}}}) { hiddenByAcl } }`),
    ],
    ['a deletion', 'filter.metadata.n', (n) => rest('/v1/units:delete', `{"filter": {"metadata": {"n": ${n}}}}`)],
    ['MCP, ingest', 'metadata.n', (n) => tool('ingest_text', `{"text": "a", "metadata": {"n": ${n}}}`)],
    [
      'MCP, search',
      'filters.metadata.n',
      (n) => tool('search', `{"query": "a", "filters": {"metadata": {"n": ${n}}}}`),
    ],
  ]

  it.each(doors)('is refused by name: %s', async (_, place, send) => {
    for (const value of rounded) {
      const text = JSON.stringify((await send(value)).body)
      expect(text).toContain(`${place}: must have no number beyond 2^53 - 1`)
    }
  })

  it('fails a file of Units, with the place', async () => {
    const file = '{"text": "a", "metadata": {"n": 1}}\n{"text": "b", "metadata": {"n": 9007199254740993}}\n'
    expect(await taken(app, token, 'units.jsonl', file, { scope: 'main' })).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('2^53 - 1'),
    })
  })

  it('is no longer what comes back: the others do, as they were sent', async () => {
    const numbers = exact.map((n, i) => `"n${i}": ${n}`).join(', ')
    const sent = `{"units": [{"external_id": "exact", "text": "exact", "metadata": {${numbers}}}]}`
    const { body } = await rest('/v1/ingest', sent)
    const { metadata } = (await app.call('GET', `/v1/units/${body.units[0].unit_id}`, { token })).body
    expect(metadata).toEqual(Object.fromEntries(exact.map((n, i) => [`n${i}`, Number(n)])))
  })

  it('is refused where JSON has no such number, too', async () => {
    for (const n of ['1e400', '-1e400']) {
      const { body } = await rest('/v1/ingest', `{"units": [{"text": "a", "metadata": {"n": ${n}}}]}`)
      expect(body.detail).toBe('units[0].metadata.n: must be a finite number')
      for (const reply of [
        await graphql(`mutation { ingest(input: {units: [{text: "a", metadata: {n: ${n}}}]}) { seq } }`),
        await graphql(`{ search(input: {q: "a", minScore: ${n}}) { hiddenByAcl } }`),
        await graphql(`{ search(input: {q: "a", vectorWeight: ${n}}) { hiddenByAcl } }`),
        await graphql(`{ search(input: {q: "", vector: {text: [${n}]}}) { hiddenByAcl } }`),
      ])
        expect(reply.body.errors[0].extensions).toMatchObject({ code: 'bad_request', status: 400 })
    }
  })
})

describe('a seq to follow', () => {
  const paths = ['/v1/ingest', '/v1/scopes', '/v1/units:delete', '/v1/compaction', '/v1/search']
  it.each(paths)('is checked on every route: %s', async (path) => {
    const before = (await app.call('GET', '/v1/scopes', { token })).body
    for (const wrong of ['-1', '', '1.5', '999999999']) {
      const body = { scope: 'made', units: [{ text: 'a' }], ids: ['x'], q: 'a' }
      const byQuery = await app.call('POST', `${path}?after_seq=${wrong}`, { token, scope: 'main', body })
      const byHeader = await app.call('POST', path, {
        token,
        scope: 'main',
        body,
        headers: { 'x-svc-after-seq': wrong },
      })
      for (const reply of [byQuery, byHeader]) {
        expect([reply.status, reply.body.detail]).toEqual([400, expect.stringMatching(/^after_seq: must be/)])
      }
    }
    expect((await app.call('GET', '/v1/scopes', { token })).body).toEqual(before)
  })
})

describe('groups of a grant', () => {
  const grant = { scope: 'main', perms: ['read'], groups: ['team'] }
  beforeAll(async () => {
    await app.principal({ id: 'head', namespace: 'acme', groups: ['team'] })
    await app.principal({ id: 'inmate', namespace: 'acme' })
    await app.principal({ id: 'guest', namespace: 'elsewhere' })
  })

  it('are refused for a principal of the namespace itself, where they would count nowhere', async () => {
    const head = await app.principal({ id: 'head', namespace: 'acme', groups: ['team'] })
    const send = (principal_id: string, groups: string[]) =>
      app.call('POST', '/v1/grants', { token: head, body: { ...grant, principal_id, groups } })
    const { status, body } = await send('inmate', ['team'])
    expect([status, body.detail]).toEqual([
      400,
      expect.stringMatching(/^groups: must be empty for a principal of this/),
    ])
    expect((await send('inmate', [])).status).toBe(200)
    expect((await send('guest', ['team'])).status).toBe(200)
  })

  it('are refused in an invitation that such a principal accepts', async () => {
    const head = await app.principal({ id: 'head', namespace: 'acme', groups: ['team'] })
    const inmate = await app.principal({ id: 'inmate', namespace: 'acme' })
    const invited = await app.graphql(
      'mutation { createInvitation(input: {scope: "main", perms: [read], groups: ["team"]}) { url } }',
      {},
      { token: head },
    )
    const accept = 'mutation ($token: String!) { acceptInvitation(token: $token) { id } }'
    const variables = { token: invited.body.data.createInvitation.url.split('#').at(-1) }
    const { body } = await app.graphql(accept, variables, { token: inmate })
    expect(body.errors[0].extensions).toMatchObject({ code: 'bad_request', status: 400 })
    const guest = await app.principal({ id: 'guest', namespace: 'elsewhere' })
    expect((await app.graphql(accept, variables, { token: guest })).body.errors).toBeUndefined()
  })
})
