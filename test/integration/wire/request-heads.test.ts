import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import { createLineLog, exchange, type LoggedServer, listen } from '../../support/process/http-server.ts'

let app: TestApp
let server: LoggedServer
/** Waits half a second for a head. */
let impatient: LoggedServer
beforeAll(async () => {
  app = await boot()
  server = await listen(app, createLineLog())
  impatient = await listen(app, createLineLog(), { headMs: 500 })
})
afterAll(async () => {
  await server.close()
  await impatient.close()
  await app.close()
})

const end = 'Connection: close\r\n\r\n'
const head = (first: string, ...lines: string[]) => [first, ...lines, end].join('\r\n')
const long = (length: number) => 'x'.repeat(length)

describe('a head that cannot be served', () => {
  it.each<[string, number, string, string]>([
    ['is not HTTP', 400, 'bad_request', 'NONSENSE\r\n\r\n'],
    ['is of TLS', 400, 'bad_request', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['has no Host', 400, 'bad_request', head('GET /v1/health HTTP/1.1')],
    ['has two', 400, 'bad_request', head('GET /v1/health HTTP/1.1', 'Host: a', 'Host: b')],
    ['has a Host with a path', 400, 'bad_request', head('GET /v1/health HTTP/1.1', 'Host: a/b')],
    ['has a Host that is not a host', 400, 'bad_request', head('GET /graphql HTTP/1.1', 'Host: [')],
    [
      'expects something',
      417,
      'expectation_failed',
      head('POST /v1/search HTTP/1.1', 'Host: a', 'Expect: tea', 'Content-Length: 2'),
    ],
    ['is long', 431, 'headers_too_large', head('GET /v1/health HTTP/1.1', 'Host: a', `X-Long: ${long(20_000)}`)],
    ['is very long', 431, 'headers_too_large', head('GET /v1/health HTTP/1.1', 'Host: a', `X-Long: ${long(200_000)}`)],
    [
      'has many headers',
      431,
      'headers_too_large',
      head('GET /livez HTTP/1.1', 'Host: a', ...Array.from({ length: 900 }, (_, i) => `X-${i}: ${long(20)}`)),
    ],
    ['has a long target', 414, 'uri_too_long', head(`GET /v1/units?q=${long(20_000)} HTTP/1.1`, 'Host: a')],
    ['has a very long target', 414, 'uri_too_long', head(`GET /v1/units?q=${long(60_000)} HTTP/1.1`, 'Host: a')],
    ['names a user', 400, 'bad_request', head('GET http://a:b@c/graphql HTTP/1.1', 'Host: c')],
    ['has a broken address', 400, 'bad_request', head('GET http://[/graphql HTTP/1.1', 'Host: c')],
    ['names a user for sign-in', 400, 'bad_request', head('GET http://a:b@c/api/auth/get-session HTTP/1.1', 'Host: c')],
    [
      'has a broken address for sign-in',
      400,
      'bad_request',
      head('GET http://[/api/auth/get-session HTTP/1.1', 'Host: c'),
    ],
    ['has an unknown method', 404, 'not_found', head('BREW /v1/search HTTP/1.1', 'Host: a')],
    ['has a method in lower case', 404, 'not_found', head('get /v1/health HTTP/1.1', 'Host: a')],
    ['has a method that is none', 400, 'bad_request', head('B(W /v1/search HTTP/1.1', 'Host: a')],
    ['opens a tunnel', 404, 'not_found', head('CONNECT example.com:443 HTTP/1.1', 'Host: example.com')],
    ['is slow', 408, 'request_timeout', 'GET /v1/health HTTP/1.1\r\nHost: a\r\n'],
    ['never comes', 408, 'request_timeout', ''],
  ])('that %s is %i in the one error shape, with a request id and a line', async (_, status, code, bytes) => {
    const to = status === 408 ? impatient : server
    const before = (await to.requests(0)).length
    const answer = await exchange(to.port, bytes)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(answer.body)).toEqual({ error: code, detail: expect.any(String), status })
    const line = (await to.requests(before + 1)).at(-1)
    expect(line).toMatchObject({ status, error: code, request_id: answer.headers.get('x-request-id'), level: 'info' })
  })

  it.each(['TRACE', 'OPTIONS', 'PROPFIND', 'BREW', 'PATCH'])('with the method %s is never a 500', async (method) => {
    for (const target of ['/graphql', '/api/auth/get-session', '/v1/health', '/exports/x', '/openapi.json', '/', '*']) {
      const { status, body } = await exchange(server.port, head(`${method} ${target} HTTP/1.1`, 'Host: a'))
      expect(status, target).toBeLessThan(500)
      expect(body, target).not.toMatch(/\bat .*\.(js|ts|mjs):\d/)
    }
    expect(server.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  it.each([
    '/graphql?query=%',
    '/api/auth/%zz',
    '/api/auth/verify-email?token=%ff%',
    '/v1/units/%E0%A4%A',
    '/v1/units?cursor=%',
    'http://a/graphql?query=%',
    'http://a',
    '//graphql',
    '/graphql#x',
    '/api/auth/../../graphql',
    '/exports/%2e%2e',
  ])('with the target %s is never a 500', async (target) => {
    const { status } = await exchange(server.port, head(`GET ${target} HTTP/1.1`, 'Host: a'))
    expect(status).toBeGreaterThanOrEqual(200)
    expect(status).toBeLessThan(500)
  })
})

describe('what is allowed', () => {
  it('is served: an absolute target, an address as host, no host over HTTP/1.0, a head that is almost too long', async () => {
    for (const bytes of [
      head('GET http://other:80/v1/health HTTP/1.1', 'Host: a'),
      head('GET /v1/health HTTP/1.1', 'Host: [::1]:8080'),
      head('GET /v1/health HTTP/1.0'),
      head(`GET /v1/health?x=${long(8_000)} HTTP/1.1`, 'Host: a', `X-Long: ${long(15_000)}`),
      head('POST /v1/health HTTP/1.1', 'Host: a', 'Upgrade: h2c').replace('POST', 'GET'),
    ]) {
      expect((await exchange(server.port, bytes)).status).toBe(200)
    }
  })

  it('is JSON whatever the case of its type', async () => {
    for (const [path, body, status] of [
      ['/graphql', '{"query":"{ health { status } }"}', 200],
      ['/v1/search', '{"q":"x"}', 401],
      ['/api/auth/sign-in/email', '{"email":"ada@example.com","password":"wrong-password"}', 401],
    ] as const) {
      const headers = {
        'content-type': 'Application/JSON; Charset=UTF-8',
        accept: 'Application/JSON',
        origin: server.url,
      }
      expect((await fetch(`${server.url}${path}`, { method: 'POST', headers, body })).status, path).toBe(status)
    }
  })
})

it('a body that does not come in time, or is broken, is refused with one line', async () => {
  const before = (await server.requests(0)).length
  const start =
    'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  const answer = await exchange(server.port, `${start}nothing\r\n`)
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ error: 'bad_request', status: 400 })
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect((await server.requests(before + 1)).slice(before)).toMatchObject([{ status: 400, method: 'POST' }])
})

it('more connections than are allowed are closed, and served again once there is room', async () => {
  const { lines, log } = createLineLog()
  const small = await listen(app, { lines, log }, { maxConnections: 2 })
  const silent = await Promise.all([held(small.port), held(small.port)])
  await expect(fetch(`${small.url}/livez`)).rejects.toThrow()
  expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
  for (const release of silent) release()
  await expect
    .poll(() =>
      fetch(`${small.url}/livez`).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200)
  await small.close()
})

describe('HEAD', () => {
  let token: string
  beforeAll(async () => {
    token = (await app.call('POST', '/v1/admin/seed', { token: superAdminToken })).body.tokens.enterprise
  })

  const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
    exchange(
      server.port,
      [
        `${method} ${path} HTTP/1.1`,
        'Host: a',
        'Connection: close',
        `Authorization: Bearer ${token}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        '\r\n',
      ].join('\r\n'),
    )

  const stable = (headers: Headers) =>
    [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name))

  it.each<[string, Record<string, string>?]>([
    ['/v1/context'],
    ['/v1/units?limit=1'],
    ['/v1/units/none'],
    ['/v1/search'],
    ['/v2/none'],
    ['/livez'],
    ['/readyz'],
    ['/openapi.json'],
    ['/graphql?query={__typename}'],
    ['/graphql', { Accept: 'text/html' }],
    ['/graphql', { Accept: 'text/html', 'Accept-Encoding': 'br' }],
    ['/api/auth/ok'],
    ['/api/auth/error?error=x'],
    ['/api/auth/none'],
    [`/exports/${'a'.repeat(32)}`],
  ])('of %s is GET without its body', async (path, headers) => {
    const [got, looked] = [await ask('GET', path, headers), await ask('HEAD', path, headers)]
    expect(looked.status).toBe(got.status)
    expect(looked.body).toBe('')
    expect(stable(looked.headers)).toEqual(stable(got.headers))
    expect(looked.headers.get('content-length')).toBe(got.headers.get('content-length'))
    expect(Number(looked.headers.get('content-length'))).toBeGreaterThan(0)
  })

  it('of an export uses up no link', async () => {
    const { body } = await app.graphql('mutation { exportAudit { url } }', {}, { token })
    const path = new URL(body.data.exportAudit.url, server.url).pathname
    for (let i = 0; i < 2; i++) {
      const looked = await ask('HEAD', path)
      expect(looked.status).toBe(200)
      expect(looked.headers.get('content-type')).toBe('application/x-ndjson')
      expect(looked.headers.get('content-length')).toBeNull()
      expect(looked.body).toBe('')
    }
    expect((await ask('GET', path)).status).toBe(200)
    expect((await ask('HEAD', path)).status).toBe(404)
  })

  it('changes nothing where only POST is served', async () => {
    expect((await ask('HEAD', '/v1/compaction')).status).toBe(200)
    expect((await ask('HEAD', '/v1/admin/seed')).status).toBe(404)
    expect((await ask('HEAD', `/graphql?query=${encodeURIComponent('mutation{compact{seq}}')}`)).status).toBe(405)
  })
})

async function held(port: number): Promise<() => void> {
  const { connect } = await import('node:net')
  const socket = connect(port, '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  return () => socket.destroy()
}
