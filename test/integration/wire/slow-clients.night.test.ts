import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RequestMeter } from '../../../src/model/telemetry.ts'
import { sampled } from '../../support/amounts.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { type LoggedServer, listen } from '../../support/process/http-server.ts'

const mib = 2 ** 20
/** What a caller may have of the 256 MiB of these servers, for bodies and for answers. */
const share = 64 * mib
/** A page of all Units, each with this text: more than the sockets take by themselves. It has few words to index. */
const [unitCount, unitText] = [24, 'the ferry leaves at noon'.padEnd(500_000, '-')]
const pageBytes = unitCount * unitText.length

let app: TestApp
let [ada, bob] = ['', '']
beforeAll(async () => {
  app = await boot()
  ada = await app.principal({
    id: 'ada',
    namespace: 'acme',
    grants: [{ scope: '*', perms: ['read', 'write', 'admin'] }],
  })
  bob = await app.principal({ id: 'bob', namespace: 'acme', grants: [{ scope: '*', perms: ['read'] }] })
  await app.call('POST', '/v1/scopes', { token: ada, body: { scope: 'harbor' } })
  for (let i = 0; i < unitCount; i += 8) {
    const units = Array.from({ length: 8 }, (_, k) => ({ scope: 'harbor', external_id: `${i + k}`, text: unitText }))
    expect((await app.call('POST', '/v1/ingest', { token: ada, body: { units } })).status).toBe(200)
  }
})
afterAll(() => app.close())

const sockets: Socket[] = []
const servers: LoggedServer[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

/** `held` are the bytes of bodies and answers now. */
async function serve(options: { maxConnections?: number } = {}) {
  let held = () => 0
  let started = 0
  const meter: RequestMeter = {
    buffered: (bytes) => {
      held = bytes
    },
    started: () => {
      started += 1
    },
    ended: () => {},
    broken: () => {},
  }
  const server = await listen({ app: app.app }, undefined, { meter, bufferBytes: 256 * mib, roomMs: 500, ...options })
  servers.push(server)
  return { ...server, held: () => held(), started: () => started }
}

function open({ port }: { port: number }, head = ''): Socket {
  const socket = connect(port, '127.0.0.1')
  if (head !== '') socket.write(head)
  sockets.push(socket.on('error', () => {}))
  return socket
}

const request = (first: string, token?: string, ...lines: string[]) =>
  [`${first} HTTP/1.1`, 'Host: localhost', ...(token ? [`Authorization: Bearer ${token}`] : []), ...lines, '', ''].join(
    '\r\n',
  )

const get = (url: string, path: string, token?: string) =>
  fetch(`${url}${path}`, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })

describe('answers that are not read', () => {
  it('hold their caller alone to its share: it gets 429, others are served, until it has read', async () => {
    const server = await serve()
    const unread = Array.from({ length: 16 }, () => open(server, request('GET /v1/units', ada)).pause())
    const refused = await get(server.url, '/v1/units', ada)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(await refused.json()).toMatchObject({
      error: 'rate_limited',
      detail: expect.stringContaining('unread answers'),
    })
    // Its share, and what was made at the same time: four pages.
    expect(server.held()).toBeGreaterThan(share)
    expect(server.held()).toBeLessThan(share + 4 * (pageBytes + mib))

    const other = await get(server.url, '/v1/units', bob)
    expect(other.status).toBe(200)
    await other.arrayBuffer()
    for (const socket of unread) socket.destroy()
    await expect.poll(server.held).toBe(0)
    expect((await get(server.url, '/v1/units', ada)).status).toBe(200)
  })

  it('count when they wait behind another one on their connection, until that closes', async () => {
    const server = await serve()
    const socket = open(server, request('GET /v1/units', ada).repeat(2)).pause()
    await expect.poll(server.held).toBeGreaterThan(2 * pageBytes - mib)
    socket.destroy()
    await expect.poll(server.held).toBe(0)
    await expect.poll(() => server.lines.filter(({ msg }) => msg === 'request').length).toBe(2)
  })

  it('are refused in parts, where one answer asks for many lists', async () => {
    const server = await serve()
    const lists = Array.from({ length: 12 }, (_, i) => `a${i}: units(limit: 24) { units { text } }`)
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: `{ ${lists.join(' ')} }` }),
    })
    const { errors } = (await response.json()) as { errors: { message: string; extensions: object }[] }
    expect(errors[0]).toMatchObject({
      message: 'the answer must be at most 64 MiB: ask for less in one request',
      extensions: { code: 'bad_request', status: 400 },
    })
  })
})

describe('bodies', () => {
  const long = `Content-Length: ${16 * mib}`
  const doors = [
    'POST /graphql',
    'POST /v1/ingest',
    'POST /mcp',
    'POST /oauth/token',
    'POST /oauth/register',
    'POST /api/auth/sign-in/email',
    'POST /v1/billing/webhook',
  ]

  it.each(sampled(doors, 3))('without a credential are held up to 256 KiB: %s', async (door) => {
    const server = await serve()
    const uploads = Array.from({ length: 2 }, () =>
      open(server, request(door, undefined, 'Content-Type: application/json', long)),
    )
    // A client that is refused before the body is read closes the connection.
    for (const socket of uploads) socket.write(Buffer.alloc(15 * mib, 32))
    let max = 0
    const left = () => {
      max = Math.max(max, server.held())
      return uploads.filter((socket) => !socket.destroyed && socket.writableLength > 0 && socket.bytesRead === 0).length
    }
    await expect.poll(left, { interval: 5 }).toBe(0)
    expect(max).toBeLessThan(uploads.length * mib)
  })

  it('beyond 256 KiB are 400 without a credential, and 401 with a wrong one', async () => {
    const server = await serve()
    const send = async (headers: Record<string, string>, bytes: number) => {
      const body = JSON.stringify({ query: '{ health { status } }', variables: { text: 'x'.repeat(bytes) } })
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      })
      const { errors } = (await response.json()) as { errors?: { message: string }[] }
      return [response.status, errors?.[0]?.message]
    }
    expect(await send({}, 200_000)).toEqual([200, undefined])
    expect(await send({}, 15 * mib)).toEqual([400, 'the body must be at most 256 KiB without a credential'])
    const [status] = await send({ authorization: 'Bearer wrong' }, 15 * mib)
    expect(status).toBe(401)
    expect(await send({ authorization: `Bearer ${bob}` }, 15 * mib)).toEqual([200, undefined])
  })

  it('of one caller wait unread beyond its share, while another one is served', async () => {
    const server = await serve()
    const uploads = Array.from({ length: 8 }, () => open(server, request('POST /v1/ingest', ada, long)))
    for (const socket of uploads) socket.write(Buffer.alloc(15 * mib, 32))
    await expect.poll(server.held).toBeGreaterThan(share - mib)
    const sent = await fetch(`${server.url}/v1/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bob}` },
      body: JSON.stringify({ q: 'ferry', top_k: 1 }),
    })
    expect(sent.status).toBe(200)
    await sent.arrayBuffer()
    // Each holds a piece above the share of its caller, and the one that came first, whichever it is, may have all of its body.
    expect(server.held()).toBeLessThan(share + 16 * mib + uploads.length * mib)
    // That one must not wait for those that wait for it: then the next one continues, until all are answered.
    for (const socket of uploads) socket.write(Buffer.alloc(mib, 32))
    const replies = await Promise.all(uploads.map((socket) => once(socket, 'data')))
    for (const [reply] of replies) expect(String(reply)).toMatch(/^HTTP\/1.1 400 /)
    for (const socket of uploads) socket.destroy()
    await expect.poll(server.held).toBe(0)
  })
})

describe('a compressed body', () => {
  const doors: [string, string][] = [
    ['POST', '/v1/ingest'],
    ['POST', '/v1/search'],
    ['POST', '/v1/billing/webhook'],
    ['POST', '/mcp'],
    ['POST', '/graphql'],
    ['POST', '/oauth/token'],
    ['POST', '/oauth/register'],
    ['POST', '/api/auth/sign-in/email'],
  ]
  it.each(sampled(doors, 4))('is 415 that says what to send: %s %s', async (method, path) => {
    for (const coding of ['gzip', 'br', 'deflate, gzip']) {
      const type = path === '/oauth/token' ? 'application/x-www-form-urlencoded' : 'application/json'
      const headers = {
        'content-encoding': coding,
        'content-type': type,
        accept: 'application/json, text/event-stream',
      }
      const { status, body } = await app.call(method, path, { token: ada, headers, body: '{}' })
      expect(status).toBe(415)
      const [error] = body.errors ?? [{ message: body.detail, extensions: { code: body.error } }]
      expect(error).toMatchObject({
        message: 'the header Content-Encoding must be absent: send the body uncompressed',
        extensions: { code: 'unsupported_media_type' },
      })
    }
  })

  it('is 415 at an upload link, which stays usable', async () => {
    const query = 'mutation ($input: CreateUploadInput!) { createUpload(input: $input) { url } }'
    const created = await app.graphql(query, { input: { bytes: 3 } }, { token: ada })
    const path = new URL(created.body.data.createUpload.url, 'http://localhost').pathname
    const headers = { 'content-encoding': 'gzip' }
    expect(await app.call('PUT', path, { headers, body: 'abc' })).toMatchObject({
      status: 415,
      body: { error: 'unsupported_media_type', status: 415 },
    })
    expect((await app.call('PUT', path, { body: 'abc' })).status).toBe(200)
  })

  it('may say that it is as it is', async () => {
    const headers = { 'content-encoding': 'identity' }
    expect((await app.call('POST', '/v1/search', { token: ada, headers, body: { q: 'ferry' } })).status).toBe(200)
  })
})

describe('connections', () => {
  it('without a request make room for new ones, the oldest first', async () => {
    const server = await serve({ maxConnections: 64 })
    const kept = await get(server.url, '/v1/health')
    await kept.arrayBuffer()
    const silent: Socket[] = []
    for (let i = 0; i < 100; i += 1) {
      const socket = open(server).resume()
      silent.push(socket)
      await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    }
    for (const path of ['/livez', '/readyz', '/v1/health'])
      await expect.poll(async () => (await get(server.url, path)).status, { message: path }).toBe(200)
    expect((await get(server.url, '/v1/units?limit=1', ada)).status).toBe(200)
    await expect.poll(() => silent.filter((socket) => !socket.destroyed).length).toBeLessThan(64)
    expect(silent[0]?.destroyed).toBe(true)
    expect(silent.at(-1)?.destroyed).toBe(false)
  })

  it('that all serve requests leave some for probes; others get 503', async () => {
    const server = await serve({ maxConnections: 64 })
    const stalled = 'POST /v1/search'
    const body = 'Content-Length: 1000'
    const busy: Socket[] = []
    // Half of them for each principal.
    for (const token of [ada, bob]) {
      for (let i = 0; i < 29; i += 1) {
        busy.push(open(server, request(stalled, token, body)))
        await expect.poll(server.started, { interval: 5 }).toBe(busy.length)
      }
    }
    for (const path of ['/livez', '/readyz', '/v1/health']) {
      const probe = () => text(open(server, request(`GET ${path}`, undefined, 'Connection: close')))
      await expect.poll(probe, { message: path }).toMatch(/^HTTP\/1.1 200 /)
    }
    const refused = await text(open(server, request('GET /v1/units', ada, 'Connection: close')))
    expect(refused).toMatch(/^HTTP\/1.1 503 /)
    expect(refused).toMatch(/retry-after: 1\r\n/i)
    expect(refused).toContain('"error":"overloaded"')
  })

  it('of a caller that has too many requests open are 429', async () => {
    const server = await serve({ maxConnections: 64 })
    const stalled = Array.from({ length: 16 }, () =>
      open(server, request('POST /graphql', undefined, 'Content-Length: 9')),
    )
    await expect.poll(server.started, { interval: 5 }).toBe(stalled.length)
    const refused = await text(
      open(server, request('POST /graphql', undefined, 'Content-Length: 9', 'Connection: close')),
    )
    expect(refused).toMatch(/^HTTP\/1.1 429 /)
    expect(await text(open(server, request('GET /livez', undefined, 'Connection: close')))).toMatch(/^HTTP\/1.1 200 /)
    // A client with a credential is not counted by address.
    expect((await get(server.url, '/v1/units?limit=1', bob)).status).toBe(200)
    const own = Array.from({ length: 33 }, () => open(server, request('POST /v1/search', bob, 'Content-Length: 9')))
    const first = await Promise.any(own.map((socket) => once(socket, 'data')))
    expect(`${first}`).toMatch(/^HTTP\/1.1 429 /)
    expect((await get(server.url, '/v1/units?limit=1', ada)).status).toBe(200)
  })
})
