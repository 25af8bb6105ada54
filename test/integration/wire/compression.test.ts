import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schema } from '../../../src/graphql/schema.ts'
import { operations } from '../../../src/operations/operations.ts'
import { boot, type TestApp } from '../../support/boot.ts'

const groups = Array.from({ length: 64 }, (_, i) => `${i}`.padEnd(90, 'g'))
let app: TestApp
let token: string
beforeAll(async () => {
  app = await boot()
  token = await app.principal({ id: 'keeper', namespace: 'coast', groups })
  const units = Array.from({ length: 40 }, (_, i) => ({ text: `Entry ${i}: the lamp was lit at dusk.`, scope: 'log' }))
  await app.call('POST', '/v1/ingest', { token, scope: '*', body: { units } })
})
afterAll(() => app.close())

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
