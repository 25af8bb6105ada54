import { isNonNullType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorTable } from '../../../src/errors.ts'
import { schema } from '../../../src/graphql/schema.ts'
import { boot, type CallOptions, type TestApp } from '../../support/boot.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await boot()
  const { body } = await app.call('POST', '/v1/admin/seed')
  token = body.tokens.enterprise
})
afterAll(() => app.close())

const query = (text: string, variables = {}) => app.graphql(text, variables, { token })

describe('an error of input', () => {
  it('has the path and the place of its field in the document, and names the input apart', async () => {
    const { status, body } = await query('{\n  found: search(input: {q: "x", topK: 51}) { hiddenByAcl }\n}')
    expect(status).toBe(200)
    expect(body.errors).toEqual([
      {
        message: 'topK: must be between 1 and 50',
        path: ['found'],
        locations: [{ line: 2, column: 3 }],
        extensions: { code: 'bad_request', status: 400, field: ['topK'] },
      },
    ])
  })

  it('has them where a value deep in the variables is wrong', async () => {
    const units = [{ text: 'a' }, { text: 'b', metadata: { key: { deeper: 2 ** 60 } } }]
    const text = 'mutation ($input: IngestInput!) { ingest(input: $input) { seq } }'
    const { body } = await query(text, { input: { units } })
    expect(body.errors).toHaveLength(1)
    expect(body.errors[0]).toMatchObject({
      path: ['ingest'],
      locations: [{ line: 1, column: 35 }],
      extensions: { code: 'bad_request', field: ['units', 1, 'metadata', 'key', 'deeper'] },
    })
  })

  it('does not quote megabytes, and still says what is wrong', async () => {
    const input = { units: [{ text: 'a', vector: '?'.repeat(100_000) }] }
    const { status, body } = await query('mutation ($i: IngestInput!) { ingest(input: $i) { seq } }', { i: input })
    expect(status).toBe(400)
    expect(body.errors[0].message).toMatch(/units\[0\]\.vector.*must be a list of finite numbers/)
    expect(body.errors[0].message.length).toBeLessThan(1_000)
  })
})

describe('a root field that fails', () => {
  it('leaves the others their answers', async () => {
    const { body } = await query(
      '{ health { status } search(input: {q: "x", topK: 0}) { hiddenByAcl } context { perms } }',
    )
    expect(body.data).toMatchObject({
      health: { status: 'ok' },
      search: null,
      context: { perms: ['read', 'write', 'admin'] },
    })
    expect(body.errors).toHaveLength(1)
  })

  it('lets a client learn which mutations were done, before it and after it', async () => {
    const { body } = await query(`mutation {
      before: createScope(input: {scope: "done/before"}) { scope }
      wrong: createScope(input: {scope: "not a path"}) { scope }
      after: createScope(input: {scope: "done/after"}) { scope }
    }`)
    expect(body.data).toEqual({ before: { scope: 'done/before' }, wrong: null, after: { scope: 'done/after' } })
    expect(body.errors).toMatchObject([{ path: ['wrong'], extensions: { code: 'bad_request' } }])
    const { body: listed } = await query('{ scopes { scopes { scope } } }')
    expect(listed.data.scopes.scopes.map((one: { scope: string }) => one.scope)).toEqual(
      expect.arrayContaining(['done/before', 'done/after']),
    )
  })

  it('is nullable, whichever it is', () => {
    for (const type of [schema.getQueryType(), schema.getMutationType()]) {
      for (const field of Object.values(type?.getFields() ?? {})) {
        expect(isNonNullType(field.type), field.name).toBe(false)
      }
    }
  })

  it('is the answer over REST, whose bodies are never null', async () => {
    const { status, body } = await app.call('POST', '/v1/search', { token, body: { q: 'x', top_k: 51 } })
    expect(status).toBe(400)
    expect(body).toEqual({ error: 'bad_request', detail: 'top_k: must be between 1 and 50', status: 400 })
    const { body: document } = await app.call('GET', '/openapi.json')
    for (const [path, operations] of Object.entries<Record<string, OperationObject>>(document.paths)) {
      for (const { responses } of Object.values(operations)) {
        expect(responses[200].content['application/json'].schema, path).not.toHaveProperty('anyOf')
      }
    }
  })
})

interface OperationObject {
  responses: Record<200, { content: { 'application/json': { schema: object } } }>
}

describe('codes', () => {
  const post = (body: unknown, headers = {}): [string, string, CallOptions] => ['POST', '/graphql', { body, headers }]
  const health = '{ health { status } }'

  it.each<[string, number, [string, string, CallOptions?]]>([
    ['syntax', 400, post({ query: '{ health' })],
    ['validation', 400, post({ query: '{ nothing }' })],
    ['a missing variable', 400, post({ query: 'query ($id: String!) { unit(unitId: $id) { text } }' })],
    [
      'a wrong variable',
      400,
      post({ query: 'query ($n: Int) { units(limit: $n) { nextCursor } }', variables: { n: 'x' } }),
    ],
    [
      'too many aliases',
      400,
      post({ query: `{ ${Array.from({ length: 40 }, (_, i) => `a${i}: health { status }`)} }` }),
    ],
    ['two operations without a name', 400, post({ query: `query A ${health} query B ${health}` })],
    ['a subscription', 400, post({ query: 'subscription { health }' })],
    ['no query', 400, post({})],
    ['a query that is not text', 400, post({ query: 1 })],
    ['an unknown parameter', 400, post({ query: health, other: 1 })],
    ['variables that are not an object', 400, post({ query: health, variables: 3 })],
    ['a batch', 400, post([{ query: health }])],
    ['broken JSON', 400, post('{')],
    ['an empty body', 400, post('')],
    ['JSON that is not an object', 400, post('null')],
    ['a form', 415, post(`query=${health}`, { 'content-type': 'application/x-www-form-urlencoded' })],
    ['an answer that cannot be sent', 406, post({ query: health }, { accept: 'image/png' })],
    ['a mutation by GET', 405, ['GET', `/graphql?query=${encodeURIComponent('mutation { compact { seq } }')}`]],
    ['a GET without a query', 400, ['GET', '/graphql']],
    ['broken variables in the URL', 400, ['GET', `/graphql?query=${encodeURIComponent(health)}&variables={`]],
    ['another method', 405, ['PUT', '/graphql', { body: '{}' }]],
  ])('of %s are those of the error table', async (_, status, [method, path, options]) => {
    const answer = await app.call(method, path, { token, ...options })
    expect(answer.status).toBe(status)
    expect(answer.body.data).toBeUndefined()
    for (const { extensions } of answer.body.errors) {
      expect(extensions.status).toBe(status)
      expect(errorTable[extensions.code as keyof typeof errorTable]?.status).toBe(status)
    }
  })

  it('stand on errors of arguments that only execution finds', async () => {
    const { body } = await query('query ($id: String = "a") { unit(unitId: $id) { text } }', { id: null })
    expect(body.errors).toMatchObject([{ path: ['unit'], extensions: { code: 'bad_request', status: 400 } }])
  })
})
