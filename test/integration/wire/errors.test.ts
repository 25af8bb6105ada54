import { isNonNullType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorTable } from '../../../src/errors.ts'
import { schema } from '../../../src/graphql/schema.ts'
import { boot, type CallOptions, superAdminToken, type TestApp } from '../../support/boot.ts'
import { problemsOfDetail } from '../../support/texts/error-details.ts'
import type { Who } from './error-details/case.ts'
import { graphqlCases } from './error-details/graphql-cases.ts'
import { restCases } from './error-details/rest-cases.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('what an error says', () => {
  let oldUnit: string
  const tokens: Partial<Record<Exclude<Who, null>, string>> = { superAdmin: superAdminToken }

  beforeAll(async () => {
    tokens.owner = await app.principal({ id: 'owner', namespace: 'works' })
    tokens.reader = await app.principal({ id: 'reader', namespace: 'works', grants: [{ scope: '*', perms: ['read'] }] })
    tokens.clerk = await app.principal({ id: 'clerk', namespace: 'works', restrictions: { planes: ['text', 'audio'] } })
    tokens.agent = await app.principal({ id: 'agent', namespace: 'works', kind: 'agent' })
    tokens.free = await app.principal({ id: 'free', namespace: 'small', tier: 'free' })
    tokens.pro = await app.principal({ id: 'pro', namespace: 'medium', tier: 'pro' })
    for (const [namespace, who] of [
      ['small-shop', 'free'],
      ['taken', 'pro'],
    ] as const) {
      await app.call('POST', '/v1/namespaces', { token: tokens[who] ?? '', body: { namespace } })
    }
    for (const scope of ['a', 'b', 'b/closed'])
      await run('owner', `mutation { createScope(input: { scope: "${scope}" }) { scope } }`)
    await run('owner', 'mutation { updateScope(scope: "a", input: { planes: [text] }) { scope } }')
    await run('owner', 'mutation { updateScope(scope: "b/closed", input: { readOnlyAgents: true }) { scope } }')
    const ingested = await app.call('POST', '/v1/ingest', {
      token: tokens.owner,
      body: { units: [{ scope: 'a', external_id: 'old', text: 'old' }] },
    })
    oldUnit = ingested.body.units[0].unit_id
  })

  const run = (who: Exclude<Who, null>, query: string) => app.graphql(query, {}, { token: tokens[who] ?? '' })

  const cases = [...restCases, ...graphqlCases]

  it.each(cases)('%s', async (_, { who, method, path, options }, code, named) => {
    const token = who === null ? undefined : tokens[who]
    const sent: CallOptions = JSON.parse(JSON.stringify(options).replaceAll('OLD', oldUnit))
    const { body: reply } = await app.call(method, path, token === undefined ? sent : { ...sent, token })
    const [error] = reply.errors ?? []
    const detail = error?.message ?? reply.detail
    expect([error?.extensions.code ?? reply.error, detail]).toEqual([code, expect.stringMatching(named)])
    expect(problemsOfDetail(detail)).toEqual([])
  })

  it('every code is provoked but those of faults, which other tests cause', () => {
    const provoked = new Set(cases.map(([, , code]) => code))
    const faults = Object.keys(errorTable).filter((code) => !provoked.has(code))
    expect(faults.sort()).toEqual([
      'audit_anchor_unavailable',
      'audit_inconsistent',
      'billing_unavailable',
      'expectation_failed',
      'headers_too_large',
      'idempotency_in_progress',
      'idempotency_key_reused',
      'inference_unavailable',
      'internal_error',
      'invalid_signature',
      'mail_not_configured',
      'not_indexed_yet',
      'overloaded',
      'persisted_only',
      'range_not_satisfiable',
      'rate_limited',
      'request_timeout',
      'source_store_unavailable',
      'storage_full',
      'storage_unavailable',
      'uri_too_long',
    ])
  })
})

describe('which error comes first', () => {
  const tokens: Record<string, string> = {}
  beforeAll(async () => {
    tokens.reader = await app.principal({
      id: 'buyer',
      namespace: 'shop',
      tier: 'free',
      grants: [{ scope: '*', perms: ['read'] }],
    })
    const restrictions = { groups: ['staff'] }
    tokens.keyed = await app.principal({ id: 'keyed', namespace: 'shop', groups: ['staff'], restrictions })
  })

  const bad = 'a//b'
  const elsewhere = { namespace: 'nowhere' }
  const topK = (n: number) => `{ answer(input: { q: "x", topK: ${n} }) { hiddenByAcl } }`
  const scope = (path: string) => `mutation { createScope(input: { scope: "${path}" }) { scope } }`
  const key = 'mutation { createApiKey(input: { name: "k", expiresAt: 1 }) { token } }'

  it.each<[string, string, string | null, CallOptions, number]>([
    ['401 before 400', scope(bad), null, {}, 401],
    ['401 before 400 of a plain argument', '{ units(limit: 0) { nextCursor } }', null, {}, 401],
    ['403 for the namespace before 400', scope(bad), 'reader', elsewhere, 403],
    ['400 before 403', scope(bad), 'reader', {}, 400],
    ['403', scope('a'), 'reader', {}, 403],
    ['400 before 403 of a restricted key', scope(bad), 'keyed', {}, 400],
    ['403 of a restricted key', scope('a'), 'keyed', {}, 403],
    ['400 before 402', topK(51), 'reader', {}, 400],
    ['402', topK(50), 'reader', {}, 402],
    ['400 of a state', key, 'reader', {}, 400],
    [
      '401 before 400 of the billing cursor',
      'mutation { reconcileBilling(secret: "x", cursor: "x") { pages } }',
      null,
      {},
      401,
    ],
  ])('%s', async (_, query, who, options, status) => {
    const token = who === null ? undefined : tokens[who]
    const { body } = await app.graphql(query, {}, { ...options, ...(token !== undefined && { token }) })
    expect(body.errors).toMatchObject([{ extensions: { status } }])
  })
})

describe('errors of GraphQL', () => {
  let token: string
  beforeAll(async () => {
    const { body } = await app.call('POST', '/v1/admin/seed', { token: superAdminToken })
    token = body.tokens.enterprise
  })

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
})
