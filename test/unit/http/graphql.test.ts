import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { describe, expect, it } from 'vitest'
import { InvalidInputError, internalProblem, unauthorized, upgradeRequired } from '../../../src/errors.ts'
import { createGraphqlFetch } from '../../../src/graphql/server/yoga.ts'
import { toFetch } from '../../../src/http/fetch.ts'
import { createGraphqlHandler } from '../../../src/http/graphql.ts'
import type { HttpRequest } from '../../../src/http/message.ts'
import { worked } from '../../support/waited.ts'
import { recordingLog, schema } from './fixture.ts'

function open(options: { allowedOrigins?: string[]; playground?: boolean } = {}) {
  const log = recordingLog()
  const engine = createGraphqlFetch<{ name: string }>({
    schema,
    log,
    writeOf: async (_context, _sent, act) => ({ value: await act(), text: null }),
    maxCost: 10_000,
    principalOf: ({ name }) => name,
    documents: { accepted: 'any', manifest: new Map() },
    async context({ headers }) {
      if (headers.authorization === 'Bearer bad') throw unauthorized()
      if (headers.authorization === 'Bearer crash') throw new Error('secret')
      return { name: 'ada' }
    },
  })
  const identify = async ({ record }: HttpRequest) => {
    record.principalId = 'ada'
  }
  const handler = createGraphqlHandler({ fetch: engine, identify, brand: 'svc', log, playground: true, ...options })
  const fetch = toFetch(handler)
  const raw = (init: RequestInit, search = '') => fetch(new Request(`http://127.0.0.1/graphql${search}`, init))
  const query = async (text: string, headers: Record<string, string> = {}, variables?: unknown) => {
    const response = await raw({
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: text, variables }),
    })
    const body = (await response.json()) as {
      data?: Record<string, unknown> | null
      errors?: { message: string; extensions?: Record<string, unknown> }[]
    }
    return { status: response.status, headers: response.headers, ...body }
  }
  return { log, raw, query }
}

describe('errors', () => {
  const { query, log } = open()

  it('of the domain are the detail and the code of the one table', async () => {
    const answer = await query('{ fail(how: "tier") }')
    expect(answer.status).toBe(200)
    expect(answer.errors?.[0]).toMatchObject({
      message: upgradeRequired('answers require', { name: 'acme', tier: 'free' }, 'pro').detail,
      path: ['fail'],
      extensions: { code: 'upgrade_required', status: 402, required_tier: 'pro' },
    })
    const invalid = await query('{ fail(how: "path") }')
    expect(invalid.errors?.[0]?.message).toBe(new InvalidInputError(['filters', 'docId', 0], 'is too long').detail)
  })

  it('that nobody foresaw are masked and logged', async () => {
    const answer = await query('{ fail(how: "crash") }', { 'x-request-id': 'r1' })
    expect(JSON.stringify(answer)).not.toMatch(/hunter2|srv/)
    expect(answer.errors?.[0]).toMatchObject({
      message: internalProblem,
      extensions: { code: 'internal_error', status: 500 },
    })
    expect(log.lines.at(-1)?.fields).toMatchObject({ request_id: 'r1', err: { message: /hunter2/ } })
  })

  it('of the context factory have an HTTP status', async () => {
    const refused = await query('{ health }', { authorization: 'Bearer bad' })
    expect(refused.status).toBe(401)
    expect(refused.errors).toEqual([
      {
        message: 'a valid token is required: send the header Authorization: Bearer <token>',
        extensions: { code: 'unauthorized', status: 401 },
      },
    ])
    const crashed = await query('{ health }', { authorization: 'Bearer crash' })
    expect(crashed.status).toBe(500)
    expect(crashed.errors?.[0]?.message).toBe(internalProblem)
    expect(JSON.stringify(crashed)).not.toMatch(/secret/)
  })

  it('of GraphQL itself pass as they are', async () => {
    const before = log.lines.length
    expect((await query('{ nothing }')).errors?.[0]?.message).toMatch(/Cannot query field "nothing"/)
    expect((await query('{ health')).errors?.[0]?.message).toMatch(/Syntax Error/)
    const refused = await query(
      'mutation ($i: IngestInput!) { ingest(input: $i) { units { unitId } } }',
      {},
      {
        i: { units: [{ vector: 'x' }] },
      },
    )
    expect(refused.errors?.[0]?.message).toMatch(/must be a list of numbers/)
    expect(log.lines).toHaveLength(before)
  })
})

describe('requests', () => {
  const { query, raw } = open()

  it('are JSON posts, one at a time', async () => {
    expect((await query('{ whoAmI { name } }')).data).toEqual({ whoAmI: { name: 'ada' } })
    const body = JSON.stringify({ query: '{ health }' })
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/graphql',
    ]) {
      expect((await raw({ method: 'POST', headers: { 'content-type': type }, body })).status).toBe(415)
    }
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expect((await raw({ method: 'POST', headers, body })).status).toBe(200)
    expect((await raw({ method: 'POST', headers, body: `[${body},${body}]` })).status).toBe(400)
    const broken = await raw({ method: 'POST', headers, body: '{' })
    expect(broken.status).toBe(400)
    expect(await broken.text()).not.toMatch(/position|originalError/)
  })

  it('by GET may only read', async () => {
    const get = (text: string) => raw({ headers: { accept: 'application/json' } }, `?query=${encodeURIComponent(text)}`)
    expect(await (await get('{ health }')).json()).toEqual({
      data: { health: 'ok' },
      extensions: { cost: { requested: 1, limit: 10_000 } },
    })
    const mutation = await get('mutation { createScope(input: {scope: "a"}) { scope } }')
    expect(mutation.status).toBe(405)
  })

  it('carry a request id and no CORS headers', async () => {
    const { headers } = await query('{ health }', { 'x-request-id': 'r1', origin: 'https://evil.example' })
    expect(headers.get('x-request-id')).toBe('r1')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('cache-control')).toBe('private, no-store')
  })

  it('with a session cookie must be of the same origin', async () => {
    const cookie = 'svc.session_token=abc'
    const foreign = await query('{ health }', { cookie, origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    expect(foreign.errors?.[0]?.extensions).toEqual({ code: 'forbidden', status: 403 })
    expect((await query('{ health }', { cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  it('of a configured origin get CORS headers', async () => {
    const origin = 'https://console.example'
    const allowed = await open({ allowedOrigins: [origin] }).query('{ health }', { origin })
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin)
    const other = await open({ allowedOrigins: [origin] }).query('{ health }', { origin: 'https://evil.example' })
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
    const page = await open({ allowedOrigins: [origin] }).raw({ headers: { accept: 'text/html', origin } })
    expect(page.headers.get('vary')).toBe('Accept, Accept-Encoding, Origin')
  })

  it('over 16 MiB are refused', async () => {
    const headers = { 'content-type': 'application/json' }
    const response = await raw({ method: 'POST', headers, body: new Uint8Array(17 * 1024 * 1024) })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ message: 'the body must be at most 16 MiB' }] })
  })
})

describe('limits', () => {
  const { query } = open()
  const problem = async (text: string) => (await query(text, { authorization: 'Bearer good' })).errors?.[0]?.message

  it('let the full introspection through', async () => {
    const text = getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true, oneOf: true })
    const data = (await query(text)).data as unknown as IntrospectionQuery
    expect(data.__schema.types.length).toBeGreaterThan(10)
  })

  it('stop aliases, fields, tokens and characters', async () => {
    const aliases = Array.from({ length: 31 }, (_, i) => `a${i}: health`).join(' ')
    expect(await problem(`{ ${aliases} }`)).toMatch(/at most 30 aliases/)
    expect(await problem(`{ ${'a: __typename '.repeat(6)} }`)).toBeUndefined()
    expect(await problem(`{ ${'a: __schema { __typename } '.repeat(6)} }`)).toMatch(/at most 5 aliases/)
    expect(await problem(`{ __schema { ${'a: __typename '.repeat(6)} } }`)).toMatch(/at most 5 aliases/)
    expect(await problem(`{ health ${' '.repeat(2 ** 21)}}`)).toMatch(/at most 2097152 characters/)
    expect(await problem(`{ ${'health '.repeat(501)} }`)).toMatch(/at most 500 fields/)
    expect(await problem(`{ unit(id: ${'['.repeat(4_900)}`)).toMatch(/nested too deeply|Syntax Error/)
    expect(await problem(`{ ${'health '.repeat(5_001)} }`)).toMatch(/more than 5000 tokens/)
  })

  it('see through fragments, and stop at cycles', async () => {
    const aliases = Array.from({ length: 20 }, (_, i) => `a${i}: health`).join(' ')
    expect(await problem(`{ ...F ...F } fragment F on Query { ${aliases} }`)).toMatch(/at most 30 aliases/)
    const doubling = Array.from({ length: 40 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`)
    const ms = await worked(async () => {
      expect(await problem(`{ ...F0 } ${doubling.join(' ')} fragment F40 on Query { health }`)).toMatch(/fields/)
      expect(await problem('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }')).toMatch(/itself/)
    })
    expect(ms).toBeLessThan(500)
  })
})

describe('the playground', () => {
  it('is one page that reaches for nothing else', async () => {
    const { raw } = open()
    const response = await raw({ headers: { accept: 'text/html,*/*' } })
    const page = await response.text()
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page).toContain('YogaGraphiQL')
    const markup = page.replace(/<script>.*<\/script>/s, '').replace(/<style>.*<\/style>/s, '')
    expect(markup).not.toMatch(/(src|href)="?(https?:)?\/\//)
    expect(page).not.toMatch(/@import|url\(["']?https?:|<script[^>]+src=/)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*/)
  })

  it('can be left out', async () => {
    const response = await open({ playground: false }).raw({ headers: { accept: 'text/html' } })
    expect(await response.text()).not.toContain('YogaGraphiQL')
  })
})
