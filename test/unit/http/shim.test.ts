import { describe, expect, it } from 'vitest'
import { internalProblem, noSuchRoute } from '../../../src/errors.ts'
import { createShim, type Route, routesOf } from '../../../src/http/rest/route.ts'
import { createClient, detailOf, graphql, recordingLog } from './fixture.ts'

const anonymous = {}

describe('routing', () => {
  const { call } = createClient()

  it.each([
    ['GET', '/v1/nothing'],
    ['GET', '/v1/units/'],
    ['GET', '/v1/units/a/b'],
    ['GET', '//v1/units'],
    ['GET', '/v1/units/u1/'],
    ['GET', '/V1/units'],
    ['PATCH', '/v1/units'],
    ['HEAD', '/v1/units'],
    ['OPTIONS', '/v1/units'],
    ['POST', '/v1/units/x:delete'],
    ['GET', '/v1/units:delete'],
    ['GET', '/v1/../v1/units'],
    ['GET', '*'],
    ['GET', ''],
  ])('%s %s is 404, also without a token', async (method, target) => {
    const answer = await call(method, target, undefined, anonymous)
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ error: 'not_found', detail: noSuchRoute(method, target).detail, status: 404 })
  })

  it.each([
    ['/v1/units/u1', 'u1'],
    ['/v1/units/a%2Fb', 'a/b'],
    ['/v1/units/%2e%2e', '..'],
    ['/v1/units/..', '..'],
    ['/v1/%75nits/u1', 'u1'],
    ['/v1/units/%C3%A9%3A', 'é:'],
    ['/v1/units/__proto__', '__proto__'],
    ['http://host.example/v1/units/u1?x=1', 'u1'],
  ])('%s reaches the Unit %s', async (target, id) => {
    const answer = await call('GET', target)
    expect(answer.body).toEqual({ unit_id: id, modality: 'text', text: 'hello' })
  })

  it.each(['/v1/units/%', '/v1/units/%zz', '/v1/units/%00', '/v1/units/%ED%A0%80', '/v1/units/%ff'])(
    '%s is 400 for any caller',
    async (target) => {
      expect(detailOf(await call('GET', target))).toBe('id: must be valid percent-encoded text')
      expect((await call('GET', target, undefined, anonymous)).status).toBe(401)
    },
  )
})

describe('answers', () => {
  const { call, log } = createClient()

  it('are the selection set, with the headers of private JSON', async () => {
    const answer = await call('GET', '/v1/me')
    expect(answer).toMatchObject({ status: 200, body: { name: 'ada' } })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('of a public route need no token, and a bad one does not matter', async () => {
    expect(await call('GET', '/v1/health', undefined, { authorization: 'Bearer bad' })).toMatchObject({ body: 'ok' })
  })

  it('of a route with optional authentication refuse a bad token only', async () => {
    expect(await call('GET', '/v1/caller', undefined, anonymous)).toMatchObject({ body: { name: 'anyone' } })
    expect(await call('GET', '/v1/caller')).toMatchObject({ body: { name: 'ada' } })
    expect((await call('GET', '/v1/caller', undefined, { authorization: 'Bearer bad' })).status).toBe(401)
  })

  it('read query values as what the variable says', async () => {
    const answer = await call('GET', '/v1/units?limit=5&cursor=1700000000000&exact=true&unknown=1')
    const [unit] = (answer.body as { units: { unit_id: string }[] }).units
    expect(JSON.parse(unit?.unit_id ?? '')).toEqual({ limit: 5, cursor: 1_700_000_000_000, exact: true })
  })

  it.each([
    ['limit=abc', 'limit: must be an integer'],
    ['limit=', 'limit: must be an integer'],
    ['limit=1.5', 'limit: must be an integer'],
    ['limit=%00', 'limit: must be an integer'],
    ['limit=99999999999', 'limit: must be an integer of at most 31 bits'],
    ['exact=yes', 'exact: must be true or false'],
    ['scope=%00', 'scope: must not contain NUL or an unpaired surrogate'],
  ])('refuse ?%s', async (query, detail) => {
    expect(detailOf(await call('GET', `/v1/units?${query}`))).toBe(detail)
  })

  it('carry the request id of a sane caller, else a new one', async () => {
    const headers = { authorization: 'Bearer good' }
    const sent = await call('GET', '/v1/me', undefined, { ...headers, 'x-request-id': 'a.b-C_1' })
    expect(sent.headers['x-request-id']).toBe('a.b-C_1')
    for (const odd of ['', 'a b', 'x'.repeat(129), 'ä']) {
      const minted = await call('GET', '/v1/nothing', undefined, { ...headers, 'x-request-id': odd })
      expect(minted.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  it('give a raw body and headers to a route that asks for them', async () => {
    const answer = await call('POST', '/v1/hook', '{ not json', { 'x-signature': 's1' })
    expect(answer.body).toBe('{ not json|s1')
  })

  it('render domain errors in wire names, and a tier where one would help', async () => {
    expect((await call('GET', '/v1/units/missing')).body).toEqual({
      error: 'not_found',
      detail: 'no such Unit',
      status: 404,
    })
    expect((await call('GET', '/v1/fail/tier')).body).toEqual({
      error: 'upgrade_required',
      detail: expect.stringContaining('answers require the pro tier; the namespace has free'),
      status: 402,
      required_tier: 'pro',
    })
    expect(detailOf(await call('GET', '/v1/fail/path'))).toBe('filters.doc_id[0]: is too long')
    expect(detailOf(await call('GET', '/v1/fail/metadata'))).toBe('units[3].metadata.camelKey: is too long')
  })

  it('never show internals, and log them under the request id', async () => {
    const answer = await call('GET', '/v1/fail/crash', undefined, {
      authorization: 'Bearer good',
      'x-request-id': 'r1',
    })
    expect(answer.body).toEqual({ error: 'internal_error', detail: internalProblem, status: 500 })
    expect(log.lines).toHaveLength(1)
    expect(log.lines[0]?.fields).toMatchObject({ request_id: 'r1', err: { message: /hunter2/ } })
  })
})

describe('which error comes first', () => {
  const { call } = createClient()

  it('404, then 401, then 400', async () => {
    expect((await call('POST', '/v1/nothing', '{', anonymous)).status).toBe(404)
    expect((await call('POST', '/v1/ingest', '{', anonymous)).status).toBe(401)
    expect((await call('POST', '/v1/ingest', '{')).status).toBe(400)
  })

  it('syntax, then schema, then what the operation says', async () => {
    expect(detailOf(await call('POST', '/v1/ingest', '[]'))).toBe('the body must be a JSON object')
    expect(detailOf(await call('POST', '/v1/ingest', {}))).toBe('units: is required')
  })
})

describe('same origin', () => {
  const cookie = 'theme=dark; svc.session_token=abc'
  const host = '192.0.2.7:8080'
  const foreign = 'https://evil.example'
  const { call } = createClient()

  it.each([
    [{ cookie, host, 'sec-fetch-site': 'same-origin' }, 200],
    [{ cookie, host, 'sec-fetch-site': 'none' }, 200],
    [{ cookie, host, origin: 'http://192.0.2.7:8080' }, 200],
    [{ cookie, host }, 403],
    [{ cookie, host, origin: foreign }, 403],
    [{ cookie, host, origin: 'null' }, 403],
    [{ cookie, host, origin: 'http://192.0.2.7' }, 403],
    [{ cookie, host, 'sec-fetch-site': 'same-site' }, 403],
    [{ cookie, host, origin: 'http://192.0.2.7:8080', 'sec-fetch-site': 'cross-site' }, 403],
    [{ cookie: '__Secure-svc.session_token=abc', host, origin: foreign }, 403],
    [{ cookie: 'other=abc', host, origin: foreign }, 200],
    [{ cookie, host, origin: foreign, authorization: 'Bearer good' }, 200],
    [{ cookie, host, origin: foreign, authorization: 'Basic Zm9vOmJhcg==' }, 403],
  ])('%o is %i', async (headers, status) => {
    expect((await call('GET', '/v1/me', undefined, headers)).status).toBe(status)
  })

  it('a configured origin may, and gets CORS headers and preflights', async () => {
    const origin = 'https://console.example'
    const { call: configured } = createClient({ allowedOrigins: [origin] })
    const allowed = await configured('GET', '/v1/me', undefined, {
      cookie,
      host,
      origin,
      'sec-fetch-site': 'cross-site',
    })
    expect(allowed.status).toBe(200)
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      vary: 'Authorization, Cookie, X-Svc-Namespace, X-Svc-Scope, Origin',
    })
    const preflight = await configured('OPTIONS', '/v1/ingest', undefined, {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,x-svc-scope',
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-headers']).toBe('content-type,x-svc-scope')
    const other = await configured('OPTIONS', '/v1/ingest', undefined, {
      origin: foreign,
      'access-control-request-method': 'POST',
    })
    expect(other.status).toBe(404)
    expect(other.headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('a route that does not fit the schema lets nothing start', () => {
  const routes = routesOf({ unit: { rest: { route: 'GET /v1/x', args: { id: '?id' } } } })
  const start = (changes: Partial<Route>) => () =>
    createShim({
      routes: routes.map((route) => ({ ...route, ...changes })),
      ...{ shapes: {}, graphql, brand: 'svc', log: recordingLog() },
    })

  it.each([
    [{ field: 'nothing' }, 'nothing is not a root field'],
    [{ args: {} }, 'nothing gives the argument id'],
    [{ args: { id: '?id', other: '?other' } }, 'there is no argument other'],
    [{ answer: 'unit_id colour' }, 'Unit.colour, which is not a declared field'],
    [{ answer: 'unit_id { x }' }, 'Unit.unit_id has no fields'],
    [{}, 'does not say what it shows of Unit'],
  ] as const)('%j', (endpoint, problem) => {
    expect(start(endpoint)).toThrow(problem)
  })
})
