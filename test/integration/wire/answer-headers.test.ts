import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { schema } from '../../../src/graphql/schema.ts'
import { operations } from '../../../src/operations/operations.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

describe('compression', () => {
  const groups = Array.from({ length: 64 }, (_, i) => `${i}`.padEnd(90, 'g'))
  let token: string
  beforeAll(async () => {
    token = await app.principal({ id: 'keeper', namespace: 'coast', groups })
    const units = Array.from({ length: 40 }, (_, i) => ({
      text: `Entry ${i}: the lamp was lit at dusk.`,
      scope: 'log',
    }))
    await app.call('POST', '/v1/ingest', { token, scope: '*', body: { units } })
  })

  interface Wire {
    response: Response
    bytes: Buffer
  }

  async function send(path: string, encoding: string, init: RequestInit = {}, bearer = token): Promise<Wire> {
    const headers = { ...(init.headers as Record<string, string>), 'accept-encoding': encoding }
    const sent = { ...headers, authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    const response = await app.app.fetch(new Request(`http://localhost${path}`, { ...init, headers: sent }))
    return { response, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  const post = (path: string, body: unknown, encoding = 'br', headers: Record<string, string> = {}) =>
    send(path, encoding, { method: 'POST', body: JSON.stringify(body), headers })
  const encodingOf = ({ response }: Wire) => response.headers.get('content-encoding')
  const long = 'x'.repeat(8192)

  describe('a long answer', () => {
    test.each([
      ['br', 'br'],
      ['gzip, deflate', 'gzip'],
      ['gzip;q=1, br;q=0.5', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', null],
      ['', null],
    ])('comes as the client takes it: %s', async (accepted, coding) => {
      const plain = await send('/v1/units', 'identity')
      const wire = await send('/v1/units', accepted)
      expect(encodingOf(wire)).toBe(coding)
      expect(wire.response.headers.get('vary')).toMatch(/^Authorization, .*, Accept-Encoding$/)
      const decode = { br: brotliDecompressSync, gzip: gunzipSync }[coding ?? ''] ?? ((bytes: Buffer) => bytes)
      expect(JSON.parse(decode(wire.bytes).toString())).toEqual(JSON.parse(plain.bytes.toString()))
      if (coding !== null) expect(wire.bytes.length).toBeLessThan(plain.bytes.length / 4)
    })

    test('is compressed over GraphQL and as the document of the API; an event stream and a short one are not', async () => {
      const query = '{ units { units { unitId text scope metadata } } }'
      expect(encodingOf(await post('/graphql', { query }))).toBe('br')
      const params = { name: 'search', arguments: { query: 'lamp', top_k: 40 } }
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      const accept = { accept: 'application/json, text/event-stream' }
      const events = await post('/mcp', call, 'br', accept)
      expect([events.response.headers.get('content-type'), encodingOf(events)]).toEqual(['text/event-stream', null])
      expect(events.bytes.length).toBeGreaterThan(4096)
      expect(encodingOf(await send('/openapi.json', 'gzip'))).toBe('gzip')
      expect(encodingOf(await post('/graphql', { query: '{ context { activeScope } }' }))).toBeNull()
      expect(encodingOf(await send('/v1/health', 'br'))).toBeNull()
    })

    test('keeps its weak tag, by which it is 304', async () => {
      const written = await post('/v1/ingest', { units: [{ text: long, scope: 'log' }] })
      const path = `/v1/units/${JSON.parse(written.bytes.toString()).units[0].unit_id}`
      const plain = await send(path, 'identity')
      const wire = await send(path, 'br')
      expect(encodingOf(wire)).toBe('br')
      expect(wire.response.headers.get('etag')).toMatch(/^W\//)
      expect(wire.response.headers.get('etag')).toBe(plain.response.headers.get('etag'))
      const again = await send(path, 'br', { headers: { 'if-none-match': wire.response.headers.get('etag') ?? '' } })
      expect([again.response.status, again.bytes.length, encodingOf(again)]).toEqual([304, 0, null])
      expect(again.response.headers.get('vary')).toContain('Accept-Encoding')
    })

    test('HEAD has the headers of GET', async () => {
      const get = await send('/v1/units', 'gzip')
      const { response, bytes } = await send('/v1/units', 'gzip', { method: 'HEAD' })
      expect([response.headers.get('content-encoding'), bytes.length]).toEqual(['gzip', 0])
      expect(response.headers.get('content-length')).toBe(`${get.bytes.length}`)
    })

    test('of an export is a compressed stream', async () => {
      const made = await post('/graphql', { query: 'mutation { exportAudit { url } }' })
      const { pathname } = new URL(JSON.parse(made.bytes.toString()).data.exportAudit.url, 'http://localhost')
      const wire = await send(pathname, 'gzip')
      expect(encodingOf(wire)).toBe('gzip')
      expect(gunzipSync(wire.bytes).toString()).toContain('units.ingest')
    })
  })

  describe('an answer with a new secret is not compressed', () => {
    test('however long the write makes it, and when it is answered again', async () => {
      const key = { 'idempotency-key': 'once' }
      for (const replayed of [null, 'true']) {
        const wire = await post('/v1/principals', { name: 'crawler', groups }, 'br', key)
        expect(wire.response.headers.get('idempotency-replayed')).toBe(replayed)
        expect(wire.bytes.length).toBeGreaterThan(4096)
        expect([wire.response.status, encodingOf(wire)]).toEqual([200, null])
      }
    })

    test('beside anything else that a document asks for, in any order', async () => {
      const rest = 'a: units { units { unitId text scope metadata } } b: context { activeScope }'
      const link = 'c: sourceLink(unitId: "unit_unknown") { url }'
      for (const query of [`{ ${rest} ${link} }`, `{ ${link} ${rest} }`]) {
        expect(encodingOf(await post('/graphql', { query }))).toBeNull()
      }
    })

    test('reads that answer with one are marked in the table of operations', () => {
      const isSecret = (name: string) => ['token', 'tokens', 'secret', 'url', 'link'].includes(name)
      const made = Object.values(schema.getQueryType()?.getFields() ?? {}).filter(({ type }) => {
        const named = 'ofType' in type ? type.ofType : type
        return 'getFields' in named && Object.keys(named.getFields()).some(isSecret)
      })
      const marked = Object.entries(operations).filter(([, one]) => 'makesSecret' in one && one.makesSecret)
      expect(made.map(({ name }) => name)).toEqual(marked.map(([name]) => name))
    })
  })
})

describe('private answers', () => {
  let admin: string
  let readonly: string
  beforeAll(async () => {
    ;({ admin, readonly } = (await app.call('POST', '/v1/admin/seed', { token: superAdminToken })).body.tokens)
  })

  describe('an answer to a credential', () => {
    it.each([
      ['GET', '/v1/context', 200],
      ['HEAD', '/v1/context', 200],
      ['GET', '/v1/units/none', 404],
      ['POST', '/v1/search', 400],
      ['GET', '/v1/none', 404],
      ['POST', '/graphql', 400],
      ['POST', '/mcp', 406],
      ['GET', '/mcp', 405],
      ['GET', '/api/auth/get-session', 200],
    ])('is for its caller only: %s %s', async (method, path, status) => {
      const { status: got, headers } = await app.call(method, path, {
        token: admin,
        ...(method === 'POST' && { body: '{' }),
      })
      expect(got).toBe(status)
      expect(headers.get('cache-control')).toBe('private, no-store')
      expect(headers.get('vary')).toMatch(/^Authorization, Cookie, X-Svc-Namespace, X-Svc-Scope(, Accept-Encoding)?$/)
    })

    it('of 401 and 403 too', async () => {
      for (const [token, namespace, status] of [
        ['svc_sk_no', '', 401],
        [admin, 'other', 403],
      ] as const) {
        const reply = await app.call('GET', '/v1/context', { token, ...(namespace && { namespace }) })
        expect(reply.status).toBe(status)
        expect(reply.headers.get('cache-control')).toBe('private, no-store')
        expect(reply.headers.get('vary')).toMatch(/^Authorization, Cookie/)
      }
    })
  })

  describe('a tag', () => {
    const get = (path: string, known?: string, token = admin, method = 'GET') =>
      app.call(method, path, { token, headers: known === undefined ? {} : { 'if-none-match': known } })
    const rows = async () => (await app.call('GET', '/v1/audit?limit=1', { token: admin })).body.count

    it('of one thing answers 304 until the thing changes, and the read is recorded', async () => {
      const [unit] = (await get('/v1/units?limit=1')).body.units
      const [grant] = (await get('/v1/grants')).body.grants
      const [principal] = (await get('/v1/principals')).body.principals
      const [scope] = (await get('/v1/scopes')).body.scopes
      const paths = [
        `/v1/units/${unit.unit_id}`,
        `/v1/scopes/${encodeURIComponent(scope.scope)}`,
        '/v1/namespaces/demo',
        `/v1/grants/${grant.id}`,
        `/v1/principals/${principal.principal_id}`,
      ]
      for (const path of paths) {
        const first = await get(path)
        const etag = `${first.headers.get('etag')}`
        expect(etag).toMatch(/^W\/"[\w-]{27}"$/)
        for (const known of [etag, etag.slice(2), '*', `"a", W/"b" ,${etag}`]) {
          const again = await get(path, known)
          expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag])
          expect(again.headers.get('cache-control')).toBe('private, no-store')
          expect(again.headers.get('content-type')).toBeNull()
        }
        expect((await get(path, '"a", W/"b"')).status).toBe(200)
        expect((await get(path, etag, admin, 'HEAD')).status).toBe(304)
      }
      const before = await rows()
      const path = `/v1/units/${unit.unit_id}`
      const etag = `${(await get(path)).headers.get('etag')}`
      expect((await get(path, etag)).status).toBe(304)
      await expect.poll(async () => (await rows()) - before).toBeGreaterThanOrEqual(2)
      await app.graphql(
        'mutation ($unitId: String!) { updateUnit(unitId: $unitId, input: { metadata: { x: "y" } }) { seq } }',
        { unitId: unit.unit_id },
        { token: admin },
      )
      expect((await get(path, etag)).status).toBe(200)
    })

    it('tells nothing to a caller without access', async () => {
      const [unit] = (await app.call('GET', '/v1/units?limit=1', { token: admin, scope: 'harbor/finance' })).body.units
      const path = `/v1/units/${unit.unit_id}`
      expect((await get(path, '*', 'svc_sk_none')).status).toBe(401)
      const [hidden, unknown] = [await get(path, '*', readonly), await get('/v1/units/none', '*', readonly)]
      expect([hidden.status, hidden.body]).toEqual([unknown.status, unknown.body])
      expect(hidden.status).toBe(404)
      expect(hidden.headers.get('etag')).toBeNull()
      expect((await get('/v1/units?limit=1')).headers.get('etag')).toBeNull()
    })
  })
})
