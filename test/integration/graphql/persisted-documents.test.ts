import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { createRuntime } from '../../../src/runtime.ts'
import { startFailure } from '../../../src/serve.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { problemsOfDetail } from '../../support/texts/error-details.ts'

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const files = tempDir('manifests')

function manifest(name: string, content: unknown): string {
  const path = join(files.path, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const listed = 'query Page($limit: Int) { grants(limit: $limit) { count } }'
const cyrillic = '{ health { status } } # здоровье'
const documents = [
  manifest('one.json', { [hashOf(listed)]: listed }),
  manifest('two.json', { [hashOf(cyrillic)]: cyrillic }),
]
const token = superAdminToken
const health = '{ health { version } }'
const apollo = (text: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(text) } } })

async function open(accepted: 'any' | 'persisted') {
  return await boot({ config: { graphql: { documents: accepted, manifests: documents, maxCost: 10_000 } } })
}

const errorOf = ({ body }: { body: { errors?: { extensions: { code: string } }[] } }) =>
  body.errors?.[0]?.extensions.code

afterAll(() => files.remove())

describe.each(['any', 'persisted'] as const)('GRAPHQL_DOCUMENTS=%s', (accepted) => {
  let app: TestApp
  beforeAll(async () => {
    app = await open(accepted)
  })
  afterAll(() => app.close())
  const post = (body: unknown) => app.call('POST', '/graphql', { token, body })
  const get = (query: Record<string, string>, headers = {}) =>
    app.call('GET', `/graphql?${new URLSearchParams(query)}`, { token, headers })

  it('runs a document by its id, in each place, with variables and its cost', async () => {
    const documentId = `sha256:${hashOf(listed)}`
    const expected = { data: { grants: { count: 0 } }, extensions: { cost: { requested: 2, limit: 10_000 } } }
    const body = { documentId, variables: { limit: 3 } }
    expect((await post(body)).body).toEqual(expected)
    expect((await post({ ...apollo(listed), variables: { limit: 3 } })).body).toEqual(expected)
    expect((await get({ documentId, variables: '{"limit": 3}' })).body).toEqual(expected)
    expect((await get({ documentId }, { accept: 'text/html,*/*' })).body).toEqual(expected)
    expect((await app.call('POST', `/graphql?documentId=${documentId}`, { token, body: {} })).body).toEqual(expected)
    expect((await post({ documentId: `sha256:${hashOf(cyrillic)}` })).body.data.health.status).toBe('ok')
    expect(errorOf(await post({ documentId, variables: { limit: 101 } }))).toBe('bad_request')
    expect((await app.call('POST', '/graphql', { body })).body.errors[0].extensions.code).toBe('unauthorized')
  })

  it('refuses unknown ids, wrong hashes and other types', async () => {
    const unknown = await post({ documentId: `sha256:${hashOf('{ nothing }')}` })
    expect([unknown.status, errorOf(unknown)]).toEqual([400, 'persisted_query_not_found'])
    expect(problemsOfDetail(unknown.body.errors[0].message)).toEqual([])
    expect(unknown.body.extensions.cost).toEqual({ requested: 0, limit: 10_000 })
    const ofApollo = await post(apollo('{ nothing }'))
    expect([ofApollo.status, errorOf(ofApollo), ofApollo.body.errors[0].message]).toEqual([
      400,
      'persisted_query_not_found',
      'PersistedQueryNotFound',
    ])
    for (const body of [
      { documentId: 7 },
      { extensions: { persistedQuery: {} } },
      { query: listed, documentId: `sha256:${hashOf(health)}` },
      { query: listed, ...apollo(health) },
      { query: 7, documentId: `sha256:${hashOf(listed)}` },
      {},
    ]) {
      const { status, body: reply } = await post(body)
      expect([status, reply.errors[0].extensions.code], JSON.stringify(body)).toEqual([400, 'bad_request'])
    }
  })

  it(accepted === 'any' ? 'runs any text, and learns it with its hash' : 'runs no other text', async () => {
    const page = await get({}, { accept: 'text/html' })
    const replies = [
      await post({ query: health }),
      await post({ query: health, ...apollo(health) }),
      await post(apollo(health)),
      await post({ query: '{ __schema { queryType { name } } }' }),
    ]
    if (accepted === 'any') {
      expect(replies.map(({ status, body }) => [status, body.errors])).toEqual(Array(4).fill([200, undefined]))
      expect(page.headers.get('content-type')).toContain('text/html')
      return
    }
    expect(replies.map(errorOf)).toEqual([
      'persisted_only',
      'persisted_only',
      'persisted_query_not_found',
      'persisted_only',
    ])
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 400, 400])
    expect(problemsOfDetail(replies[0]?.body.errors[0].message)).toEqual([])
    expect([page.status, errorOf(page)]).toEqual([404, 'not_found'])
    expect(problemsOfDetail(page.body.errors[0].message)).toEqual([])
    // A text that a manifest has may be sent as text. The other interfaces run their own operations.
    expect((await post({ query: listed })).body.data).toEqual({ grants: { count: 0 } })
    expect((await app.call('GET', '/v1/units', { token })).status).toBe(200)
    const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const headers = { accept: 'application/json, text/event-stream' }
    expect((await app.call('POST', '/mcp', { token, headers, body: listing })).status).toBe(200)
  })
})

it.each([
  ['a text under another hash', { [hashOf('{ a }')]: '{ b }' }, /has a document under [0-9a-f]{64}, but the SHA-256/],
  ['a hash in capitals', { [hashOf('{ a }').toUpperCase()]: '{ a }' }, /SHA-256 of its text is/],
  ['a list', [health], /is not a JSON object/],
  ['no JSON', '{', /is not a JSON object/],
])('a manifest with %s prevents the start, in one sentence', async (name, content, problem) => {
  const GRAPHQL_MANIFESTS = `${documents[0]}, ${manifest(`${name}.json`, content)}`
  const failure = await createRuntime(readConfig({ DATA_DIR: files.path, GRAPHQL_MANIFESTS })).catch(startFailure)
  expect(failure).toMatch(problem)
  expect(failure).toMatch(/^[^\n]+$/)
  const missing = readConfig({ DATA_DIR: files.path, GRAPHQL_MANIFESTS: `${files.path}/none.json` })
  expect(await createRuntime(missing).catch(startFailure)).toMatch(/none\.json cannot be read \(ENOENT\)/)
})
