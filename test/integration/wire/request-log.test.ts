import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReadyz } from '../../../src/http/handlers.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { createLineLog, exchange, type LoggedServer, listen } from '../../support/process/http-server.ts'

let app: TestApp
let server: LoggedServer
let token: string
const log = createLineLog()
beforeAll(async () => {
  app = await boot({ bindings: { log: log.log } })
  server = await listen(app, log)
  token = (await app.call('POST', '/v1/admin/seed')).body.tokens.enterprise
})
afterAll(async () => {
  await server.close()
  await app.close()
})

interface Sent {
  method?: string
  body?: unknown
  headers?: Record<string, string>
}

/** Sends one request; returns its log line. */
async function lineOf(path: string, { method = 'GET', body, headers }: Sent = {}) {
  const before = (await server.requests(0)).length
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const found = (await server.requests(before + 1)).slice(before)
  expect(found).toHaveLength(1)
  return { response, text, line: found[0] ?? { level: 'info', msg: '' } }
}

describe('the line of a request', () => {
  it('says what was requested, by whom, where, and what came of it', async () => {
    const { response, line } = await lineOf('/v1/units?limit=2&cursor=0')
    expect(line).toEqual({
      level: 'info',
      msg: 'request',
      request_id: response.headers.get('x-request-id'),
      method: 'GET',
      route: '/v1/units',
      status: 200,
      ms: expect.any(Number),
      principal_id: expect.any(String),
      namespace: 'enterprise',
    })
  })

  it.each<[string, string, Sent, object]>([
    ['a template', '/v1/units/some%20secret', {}, { route: '/v1/units/{id}', status: 404, error: 'not_found' }],
    [
      'a literal segment',
      '/v1/units:delete',
      { method: 'POST', body: {} },
      { route: '/v1/units:delete', status: 400, error: 'bad_request' },
    ],
    [
      'no route',
      '/v2/whatever',
      {},
      { route: null, status: 404, error: 'not_found', principal_id: null, namespace: null },
    ],
    [
      'a bad token',
      '/v1/context',
      { headers: { authorization: 'Bearer nobody' } },
      { route: '/v1/context', status: 401, error: 'unauthorized', principal_id: null },
    ],
    ['an export link', `/exports/${'a'.repeat(32)}`, {}, { route: '/exports/{token}', status: 404 }],
    ['sign-in', '/api/auth/get-session?x=1', {}, { route: '/api/auth/get-session', status: 200, principal_id: null }],
    ['unknown sign-in', '/api/auth/secret', {}, { route: null, status: 404 }],
    ['HEAD', '/v1/context', { method: 'HEAD' }, { method: 'HEAD', route: '/v1/context', status: 200 }],
    ['the description', '/openapi.json', {}, { route: '/openapi.json', status: 200 }],
    [
      'the GraphiQL page',
      '/graphql',
      { headers: { accept: 'text/html' } },
      { route: '/graphql', status: 200, fields: [] },
    ],
  ])('of %s has a template as its route', async (_, path, sent, expected) => {
    expect((await lineOf(path, sent)).line).toMatchObject(expected)
  })

  it('of GraphQL has its root fields, and the code of the first error', async () => {
    const query =
      'query Secret { a: context { perms } ...F } fragment F on Query { scopes { count } b: scopes { count } scope(scope: "x/y") { scope } }'
    const { line } = await lineOf('/graphql', { method: 'POST', body: { query } })
    expect(line).toMatchObject({
      route: '/graphql',
      status: 200,
      fields: ['context', 'scopes', 'scope'],
      error: 'not_found',
      namespace: 'enterprise',
      principal_id: expect.any(String),
    })
    const broken = await lineOf('/graphql', { method: 'POST', body: { query: '{ nothing }' } })
    expect(broken.line).toMatchObject({ status: 400, error: 'bad_request', fields: [] })
  })

  it.each([
    ['of a valid traceparent', `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`, 'a1'.repeat(16)],
    ['of a later version with more fields', `cc-${'a1'.repeat(16)}-${'b2'.repeat(8)}-00-more`, 'a1'.repeat(16)],
    ['of version 00 with more fields', `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01-more`, undefined],
    ['of the invalid version', `ff-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`, undefined],
    ['of zeros', `00-${'0'.repeat(32)}-${'b2'.repeat(8)}-01`, undefined],
    ['of a span of zeros', `00-${'a1'.repeat(16)}-${'0'.repeat(16)}-01`, undefined],
    ['in capitals', `00-${'A1'.repeat(16)}-${'b2'.repeat(8)}-01`, undefined],
    ['of anything else', 'marmalade', undefined],
  ])('has the trace %s or none', async (_, traceparent, expected) => {
    expect((await lineOf('/v1/context', { headers: { traceparent } })).line.trace_id).toBe(expected)
  })

  it.each([
    [400, 'nonsense\r\n\r\n'],
    [414, `GET /${'x'.repeat(60_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
    [431, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(60_000)}\r\n\r\n`],
  ])('counts a broken head with status %i', async (status, bytes) => {
    const before = (await server.requests(0)).length
    expect((await exchange(server.port, bytes)).status).toBe(status)
    expect((await server.requests(before + 1)).slice(before)).toMatchObject([{ status, route: null }])
  })

  it.each(['/livez', '/readyz'])('of %s is at debug', async (path) => {
    expect((await lineOf(path)).line).toMatchObject({ level: 'debug', route: path, status: 200 })
  })

  it('says that the client left', async () => {
    const before = (await server.requests(0)).length
    const socket = connect(server.port, '127.0.0.1')
    const head = [
      'POST /v1/search HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${token}`,
      'Content-Length: 100',
      'Expect: 100-continue',
      '',
      '{',
    ]
    socket.write(head.join('\r\n'))
    // The server has read the head, and waits for the body.
    await once(socket, 'data')
    socket.destroy()
    expect((await server.requests(before + 1)).at(-1)).toMatchObject({ aborted: true, route: '/v1/search' })
  })
})

const traceparent = `00-${'a1'.repeat(16)}-${'b2'.repeat(8)}-01`

it('a 5xx has a line at error too, with its stack and the same ids', async () => {
  const { units } = app.runtime.bindings.catalog
  const { get } = units
  units.get = async () => {
    throw new Error('the disk is gone')
  }
  try {
    for (const [path, sent] of [
      ['/v1/units/x', { headers: { traceparent } }],
      ['/graphql', { method: 'POST', headers: { traceparent }, body: { query: '{ unit(unitId: "x") { text } }' } }],
    ] as const) {
      const { line, text } = await lineOf(path, sent)
      expect(line).toMatchObject({ error: 'internal_error' })
      expect(text).not.toContain('disk')
      expect(line.trace_id).toBe('a1'.repeat(16))
      const failure = server.lines.find(({ level, request_id }) => level === 'error' && request_id === line.request_id)
      expect(failure?.trace_id).toBe(line.trace_id)
      expect(failure?.err).toMatchObject({
        message: 'the disk is gone',
        stack: expect.stringContaining('request-log.test.ts'),
      })
    }
  } finally {
    units.get = get
  }
})

it('a failing readiness check has the ids of its request', async () => {
  const { lines, log: own } = createLineLog()
  const check = async () => {
    throw new Error('the catalog is away')
  }
  const probe = await listen({ app: { ...app.app, handler: createReadyz(check, { log: own }) } }, { lines, log: own })
  await fetch(`${probe.url}/readyz`, { headers: { traceparent, 'x-request-id': 'mine' } })
  await probe.close()
  expect(lines.find(({ msg }) => msg === 'not ready')).toMatchObject({ request_id: 'mine', trace_id: 'a1'.repeat(16) })
})

it('no line holds what callers sent, but for ids of requests', async () => {
  const word = 'marmalade'
  await lineOf(`/v1/units?limit=1&${word}=${word}`, { headers: { cookie: `x=${word}`, 'x-other': word } })
  await lineOf('/v1/search', { method: 'POST', body: { q: word } })
  await lineOf(`/v1/units/${word}`)
  await lineOf(`/${word}`)
  await lineOf('/v1/ingest', { method: 'POST', body: { units: [{ text: word, metadata: { [word]: word } }] } })
  await lineOf('/graphql', { method: 'POST', body: { query: `query ${word} { ${word}: context { perms } }` } })
  await lineOf('/graphql', { method: 'POST', body: { query: `{ ${word} }`, variables: { [word]: word } } })
  await lineOf('/api/auth/sign-in/email', { method: 'POST', body: { email: `${word}@example.com`, password: word } })
  await lineOf(`/exports/${word}`)
  await lineOf('/v1/context', { headers: { authorization: `Bearer ${word}`, 'x-request-id': `not sane: ${word}` } })
  await exchange(server.port, `${word} ${word}\r\n\r\n`)
  const written = JSON.stringify(server.lines)
  expect(written).not.toContain(word)
  expect(written).not.toContain(token)
})
