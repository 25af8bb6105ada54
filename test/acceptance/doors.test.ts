import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Call, type Service, startService } from './service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const graphql = (query: string, call: Call = {}, variables: object = {}) =>
  service.call('POST', '/graphql', { ...call, body: { query, variables } })
const code = (body: { errors?: { extensions?: { code?: string } }[] }) => body.errors?.[0]?.extensions?.code

describe('GraphQL offers the same', () => {
  it('reads and writes with a token', async () => {
    const token = service.tokens.enterprise
    const headers = { 'x-svc-scope': 'g/one' }
    const ingest = `mutation ($input: IngestInput!) { ingest(input: $input) { counts { created } units { unitId } } }`
    const input = { units: [{ text: 'axolotl', aclGroups: ['*'], locator: { kind: 'char_span', start: 0, end: 3 } }] }
    const { body } = await graphql(ingest, { token, headers }, { input })
    expect(body.data.ingest.counts.created).toBe(1)
    const { unitId } = body.data.ingest.units[0]
    const read = `query ($id: String!) { unit(unitId: $id) { text locator { ... on CharSpan { start end } } } }`
    const unit = await graphql(read, { token }, { id: unitId })
    expect(unit.body.data.unit).toEqual({ text: 'axolotl', locator: { start: 0, end: 3 } })
    const found = await graphql('{ search(input: {q: "axolotl"}) { hits { unitId } hiddenByAcl } }', { token })
    expect(found.body.data.search).toEqual({ hits: [{ unitId }], hiddenByAcl: 0 })
    const remove = 'mutation ($input: DeleteUnitsInput!) { deleteUnits(input: $input) { purged } }'
    const gone = await graphql(remove, { token }, { input: { ids: [unitId], hard: true } })
    expect(gone.body.data.deleteUnits.purged).toBe(1)
    expect(code((await graphql(read, { token }, { id: unitId })).body)).toBe('not_found')
  })

  it('answers health without a token, and nothing else', async () => {
    await expect.poll(async () => (await graphql('{ health { status } }')).body.data.health.status).toBe('ok')
    for (const field of ['context { perms }', 'scopes { count }', 'units { hiddenByAcl }', 'catalogStats { scope }']) {
      expect(code((await graphql(`{ ${field} }`)).body), field).toBe('unauthorized')
    }
    expect(code((await graphql('mutation { compact { seq } }')).body)).toBe('unauthorized')
    expect(code((await graphql('mutation { seed { scopes } }')).body)).toBe('unauthorized')
  })

  it('refuses a bad token and a foreign namespace before it looks at the query', async () => {
    expect((await graphql('{ health { status } }', { token: 'nonsense' })).status).toBe(401)
    const headers = { 'x-svc-namespace': 'pro' }
    expect((await graphql('{ health { status } }', { token: service.tokens.admin, headers })).status).toBe(403)
  })

  it('names fields in its own spelling, with code, status and required tier', async () => {
    const { body } = await graphql('{ search(input: {q: "x", topK: 51}) { hiddenByAcl } }', {
      token: service.tokens.pro,
    })
    expect(body.errors[0]).toMatchObject({
      message: 'topK: must be between 1 and 50',
      extensions: { code: 'bad_request', status: 400 },
    })
    const mutation = `mutation { ingest(input: {units: [{text: "x", plane: visual, scope: "a"}]}) { seq } }`
    const free = await graphql(mutation, { token: service.tokens.free })
    expect(free.body.errors[0].extensions).toMatchObject({
      code: 'upgrade_required',
      status: 402,
      required_tier: 'pro',
    })
  })
})

describe('introspection', () => {
  it('is open, and every type, field, argument and value has a description', async () => {
    const { body } = await graphql(`{ __schema { types {
      name description kind
      fields { name description args { name description } }
      inputFields { name description }
      enumValues { name description }
    } } }`)
    const missing: string[] = []
    for (const type of body.data.__schema.types) {
      if (type.name.startsWith('__')) continue
      const parts = [...(type.fields ?? []), ...(type.inputFields ?? []), ...(type.enumValues ?? [])]
      const args = (type.fields ?? []).flatMap((field: { args: object[] }) => field.args)
      for (const part of [type, ...parts, ...args]) if (!part.description) missing.push(`${type.name}.${part.name}`)
    }
    expect(missing).toEqual([])
    expect(body.data.__schema.types.length).toBeGreaterThan(40)
  })
})

describe('limits', () => {
  const repeated = (n: number, part: (i: number) => string) => Array.from({ length: n }, (_, i) => part(i)).join(' ')

  it.each([
    ['depth', `{ __schema ${'{ types { fields { type '.repeat(8)} { name } ${'} } }'.repeat(8)} }`],
    ['aliases', `{ ${repeated(40, (i) => `a${i}: health { status }`)} }`],
    ['tokens', `{ ${repeated(6000, () => 'health { status }')} }`],
    ['fragment cycles', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
  ])('%s are limited', async (_, query) => {
    const { body } = await graphql(query)
    expect(body.errors.length).toBeGreaterThan(0)
    expect(body.data).toBeUndefined()
  })

  it('takes no batches', async () => {
    const { body } = await service.call('POST', '/graphql', { body: [{ query: '{ health { status } }' }] })
    expect(body.errors?.length).toBeGreaterThan(0)
  })
})

describe('a foreign page', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' }

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
    'cannot post %s to GraphQL',
    async (type) => {
      const headers = { 'content-type': type }
      const { status } = await service.call('POST', '/graphql', { headers, body: 'query={health{status}}' })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(500)
    },
  )

  it('cannot mutate by GET', async () => {
    const query = encodeURIComponent('mutation { compact { seq } }')
    const { status } = await service.call('GET', `/graphql?query=${query}`, { token: service.tokens.admin })
    expect(status).toBe(405)
  })

  it('gets no CORS headers at either door', async () => {
    for (const [method, path] of [
      ['POST', '/graphql'],
      ['GET', '/v1/health'],
      ['OPTIONS', '/v1/search'],
    ] as const) {
      const { headers } = await service.call(method, path, {
        headers: form,
        ...(method === 'POST' ? { body: '{}' } : {}),
      })
      expect(headers.get('access-control-allow-origin'), path).toBeNull()
    }
  })

  it.each([
    ['POST', '/graphql', { query: '{ health { status } }' }],
    ['GET', '/v1/context', undefined],
    ['POST', '/v1/search', { q: 'x' }],
  ] as const)('cannot use a session cookie on %s %s', async (method, path, body) => {
    const cookie = { cookie: 'svc.session_token=abc' }
    const from = (headers: object) => service.call(method, path, { body, headers: { ...cookie, ...headers } })
    expect((await from({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await from({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await from({})).status).toBe(403)
    // From the same origin the rule is met; this cookie is nobody's session.
    expect([200, 401]).toContain((await from({ origin: service.url })).status)
  })
})

describe('beside the API', () => {
  it('GraphiQL is served to browsers, from here alone', async () => {
    const { status, body, headers } = await service.call('GET', '/graphql', { headers: { accept: 'text/html' } })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(body).not.toMatch(/<(script|link|img)[^>]+(src|href)="?(https?:)?\/\//)
  })

  it('probes and the OpenAPI document answer', async () => {
    expect((await service.call('GET', '/livez')).body).toEqual({ status: 'ok' })
    // Not ready while the catalog takes over two seconds, as it does on a busy machine.
    await expect.poll(async () => (await service.call('GET', '/readyz')).body).toEqual({ status: 'ok' })
    const { body } = await service.call('GET', '/openapi.json')
    expect(body.openapi).toMatch(/^3\.1/)
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(['/v1/search', '/v1/units:delete', '/v1/units/{id}']),
    )
  })
})
