import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { boot, type CallOptions, type Reply, type TestApp } from '../../support/boot.ts'
import { listen } from '../../support/process/http-server.ts'

let app: TestApp
let now = Date.now()
let token: string
let other: string
beforeAll(async () => {
  app = await boot({ bindings: { clock: { now: () => now } } })
  token = await app.principal({ id: 'writer', namespace: 'coast' })
  other = (await app.graphql('mutation { createApiKey(input: { name: "b" }) { token } }', {}, { token })).body.data
    .createApiKey.token
})
afterAll(() => app.close())

const post = (path: string, key: string, body: unknown, options: CallOptions = {}): Promise<Reply> =>
  app.call('POST', path, { token, body, ...options, headers: { 'idempotency-key': key, ...options.headers } })
const replayed = ({ headers }: Reply) => headers.get('idempotency-replayed')
const units = async (as = token) => (await app.call('GET', '/v1/units', { token: as })).body.units.length
const rows = async (action: string) => {
  const { body } = await app.call('GET', '/v1/audit', { token })
  return body.rows.filter((row: { action: string }) => row.action === action).length
}
const batch = (text: string) => ({ units: [{ text, scope: 'pier', acl_groups: ['*'] }] })

describe('a write with a key', () => {
  it('is done once, and answers the same again', async () => {
    const before = await units()
    const [audited] = [await rows('units.ingest')]
    const first = await post('/v1/ingest', 'once', batch('A boat.'))
    const again = await post('/v1/ingest', '"once"', batch('A boat.'))
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
    expect([replayed(first), replayed(again)]).toEqual([null, 'true'])
    expect(first.headers.get('x-svc-seq')).toBe(`${first.body.seq}`)
    expect(again.headers.get('x-svc-seq')).toBe(`${first.body.seq}`)
    expect(await units()).toBe(before + 1)
    expect(await rows('units.ingest')).toBe(audited + 1)
  })

  it('has one effect and one answer for fifty at once', async () => {
    const before = await units()
    const all = await Promise.all(Array.from({ length: 50 }, () => post('/v1/ingest', 'fifty', batch('Fifty boats.'))))
    expect(new Set(all.map(({ status, body }) => JSON.stringify([status, body])))).toHaveLength(1)
    expect(all[0]?.status).toBe(200)
    expect(all.filter((one) => replayed(one) === 'true')).toHaveLength(49)
    expect(await units()).toBe(before + 1)
  })

  it('refuses the key for anything else, and does nothing', async () => {
    await post('/v1/scopes', 'same', { scope: 'a' })
    const before = await units()
    for (const reply of [
      await post('/v1/scopes', 'same', { scope: 'b' }),
      await post('/v1/scopes', 'same', '{"scope":"a" }'),
      await post('/v1/scopes?scope=a', 'same', { scope: 'a' }),
      await post('/v1/scopes', 'same', { scope: 'a' }, { scope: 'a' }),
      await post('/v1/ingest', 'same', batch('Never.')),
    ]) {
      expect(reply.body).toMatchObject({ error: 'idempotency_key_reused', status: 400 })
    }
    const graphql = await post('/graphql', 'same', {
      query: 'mutation { createScope(input: { scope: "c" }) { scope } }',
    })
    expect(graphql.body.errors[0].extensions).toMatchObject({ code: 'idempotency_key_reused', status: 400 })
    expect(graphql.status).toBe(400)
    expect(await units()).toBe(before)
    expect(
      (await app.call('GET', '/v1/scopes', { token })).body.scopes.map((s: { scope: string }) => s.scope),
    ).not.toContain('b')
  })

  it('must have one of 1 to 255 visible ASCII characters, where it is read', async () => {
    for (const key of ['', '""', 'a b', 'ü', 'x'.repeat(256)]) {
      const reply = await post('/v1/scopes', Buffer.from(key).toString('latin1'), { scope: 'never' })
      expect([key, reply.body.error]).toEqual([key, 'bad_request'])
    }
    expect((await post('/v1/search', 'a b', { q: 'boat' })).status).toBe(200)
    expect((await post('/v1/scopes', 'x'.repeat(255), { scope: 'ever' })).status).toBe(200)
  })

  it('is free again after an error', async () => {
    expect((await post('/v1/ingest', 'error', batch(''))).status).toBe(400)
    expect((await post('/v1/ingest', 'error', batch('Corrected.'))).status).toBe(200)
    const mutation = (scope: string) => ({ query: `mutation { createScope(input: { scope: "${scope}" }) { scope } }` })
    expect((await post('/graphql', 'error2', mutation('/bad'))).body.errors).toHaveLength(1)
    expect((await post('/graphql', 'error2', mutation('good'))).body.data.createScope).toEqual({ scope: 'good' })
  })

  it('cannot be read or used by another credential', async () => {
    const first = await post('/v1/principals', 'mine', { name: 'new' })
    expect(first.body.token).toMatch(/^svc_sk_/)
    const again = await post('/v1/principals', 'mine', { name: 'new' })
    expect(again.body).toEqual(first.body)
    const others = await post('/v1/principals', 'mine', { name: 'new' }, { token: other })
    expect(replayed(others)).toBeNull()
    expect(others.body.principal_id).not.toBe(first.body.principal_id)
    expect((await post('/v1/principals', 'mine', { name: 'new' }, { token: 'svc_sk_none' })).status).toBe(401)
    expect((await post('/v1/principals', 'mine', { name: 'new' }, { namespace: 'none' })).status).toBe(403)
  })

  it('answers though the caller may no longer do it', async () => {
    const principal = (await app.call('POST', '/v1/principals', { token, body: { name: 'brief' } })).body
    const grant = (perms: string[]) =>
      app.call('POST', '/v1/grants', { token, body: { principal_id: principal.principal_id, scope: 'pier', perms } })
    await grant(['read'])
    const { id } = (await grant(['write'])).body
    const first = await post('/v1/ingest', 'kept', batch('Brief.'), { token: principal.token })
    expect(first.status).toBe(200)
    await app.call('DELETE', `/v1/grants/${id}`, { token })
    expect((await post('/v1/ingest', 'new', batch('Brief.'), { token: principal.token })).status).toBe(403)
    expect((await post('/v1/ingest', 'kept', batch('Brief.'), { token: principal.token })).body).toEqual(first.body)
  })

  it('holds for a claim that moves the home of the caller', async () => {
    const mover = await app.principal({ id: 'mover', namespace: 'u-mover' })
    const first = await post('/v1/namespaces', 'claim', { namespace: 'mooring' }, { token: mover })
    const again = await post('/v1/namespaces', 'claim', { namespace: 'mooring' }, { token: mover })
    expect(first.status).toBe(200)
    expect([again.body, replayed(again)]).toEqual([first.body, 'true'])
  })

  it('holds for GraphQL, of several mutations too', async () => {
    const query = `mutation { a: createApiKey(input: { name: "a" }) { token } b: createApiKey(input: { name: "b" }) { token } }`
    const first = await post('/graphql', 'graphql', { query })
    const again = await post('/graphql', 'graphql', { query })
    expect(first.body.data.a.token).not.toBe(first.body.data.b.token)
    expect(again.body).toEqual(first.body)
    expect([replayed(first), replayed(again)]).toEqual([null, 'true'])
    expect(first.headers.get('x-svc-seq')).toMatch(/^\d+$/)
  })

  it('ends after 24 hours, and is swept', async () => {
    const first = await post('/v1/ingest', 'day', batch('Today.'))
    now += 24 * 3_600_000 - 1000
    expect((await post('/v1/ingest', 'day', batch('Today.'))).body).toEqual(first.body)
    now += 2000
    expect(replayed(await post('/v1/ingest', 'day', batch('Tomorrow.')))).toBeNull()
    // The sweep in the background may come first.
    const { client } = app.runtime.bindings.catalog as PrismaCatalog
    const expired = () => client.keptAnswer.count({ where: { expiresAt: { lte: now } } })
    await expect.poll(expired).toBe(0)
  })
})

it('a tool takes a key', async () => {
  const server = await listen(app)
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit }))
  const call = (text: string, key: string) =>
    client.callTool({ name: 'ingest_text', arguments: { text, idempotency_key: key, scope: 'pier' } })
  const before = await units()
  const first = await call('By a tool.', 'tool')
  expect(first.isError).toBeFalsy()
  expect((await call('By a tool.', 'tool')).structuredContent).toEqual(first.structuredContent)
  expect(await units()).toBe(before + 1)
  const [refused] = (await call('Another text.', 'tool')).content
  expect(refused?.type === 'text' && refused.text).toMatch(/idempotency_key_reused/)
  const [malformed] = (await call('Another text.', 'a b')).content
  expect(malformed?.type === 'text' && malformed.text).toMatch(/idempotency_key: must be 1 to 255/)
  await client.close()
  await server.close()
})

it('nothing that is kept can be read at rest', async () => {
  const { body } = await post('/v1/principals', 'name-of-the-key', { name: 'secret' })
  const { client } = app.runtime.bindings.catalog as PrismaCatalog
  const kept = await client.keptAnswer.findMany()
  expect(kept.length).toBeGreaterThan(1)
  for (const { id, request, content } of kept) {
    const bytes = Buffer.concat([Buffer.from(`${id} ${request} `), content])
    for (const secret of [body.token, body.principal_id, 'name-of-the-key', token]) {
      expect(bytes.includes(secret)).toBe(false)
      expect(bytes.includes(Buffer.from(secret, 'utf16le'))).toBe(false)
    }
  }
})
