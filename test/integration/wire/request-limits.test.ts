import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createMemoryKeyValue } from '../../../src/adapters/kv/memory-key-value.ts'
import { createSharedCounter } from '../../../src/adapters/kv/shared-counter.ts'
import { readConfig } from '../../../src/config.ts'
import type { RequestLimits } from '../../../src/model/request.ts'
import { requestLimitsConfig } from '../../../src/settings/limits.ts'
import { type BootOptions, boot, superAdminToken, type TestApp } from '../../support/boot.ts'

const apps: TestApp[] = []
let now = 0
beforeAll(() => {
  now = Date.now()
})
afterEach(async () => {
  // The first one owns the data.
  for (let app = apps.pop(); app !== undefined; app = apps.pop()) await app.close({ keep: apps.length > 0 })
})

const limitsOf = (principal: string | null, namespace: string | null): RequestLimits => {
  const { requestLimits } = readConfig({
    ...(principal === null ? {} : { RATE_LIMIT_PRINCIPAL: principal }),
    ...(namespace === null ? {} : { RATE_LIMIT_NAMESPACE: namespace }),
  })
  return requestLimits
}

async function limited(principal: string | null, namespace: string | null, options: BootOptions = {}) {
  const requestLimits = limitsOf(principal, namespace)
  const app = await boot({
    config: { requestLimits, ...options.config },
    ...options,
    bindings: { clock: { now: () => now }, ...options.bindings },
  })
  apps.push(app)
  return app
}

/** Moves to the beginning of the next window. */
const toWindow = (seconds: number) => {
  now = (Math.floor(now / (seconds * 1000)) + 1) * seconds * 1000
}

const headersOf = ({ headers }: { headers: Headers }) => [headers.get('ratelimit'), headers.get('ratelimit-policy')]

describe('limits of requests', () => {
  test('without them there are no headers', async () => {
    const app = await limited(null, null)
    const ann = await app.principal({ id: 'ann', namespace: 'acme' })
    expect(headersOf(await app.call('GET', '/v1/context', { token: ann }))).toEqual([null, null])
  })

  test('each request counts one, of REST, GraphQL and MCP', async () => {
    const app = await limited('100/60', '1000/3600')
    const ann = await app.principal({ id: 'ann', namespace: 'acme' })
    toWindow(3600)
    now += 18_000
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami', arguments: {} } }
    const accept = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
    const requests = [
      () => app.call('GET', '/v1/context', { token: ann }),
      () => app.call('GET', '/v1/units/none', { token: ann }),
      () => app.graphql('{ a: scopes { count } b: scopes { count } }', {}, { token: ann }),
      () => app.call('POST', '/mcp', { token: ann, body: list, headers: accept }),
      () => app.call('POST', '/v1/search', { token: ann, body: { q: 'x' }, headers: { 'x-svc-after-seq': '0' } }),
    ]
    const policy = '"principal";q=100;w=60, "namespace";q=1000;w=3600'
    for (const [i, request] of requests.entries()) {
      const reply = await request()
      expect(headersOf(reply), JSON.stringify(reply.body)).toEqual([
        `"principal";r=${99 - i};t=42, "namespace";r=${999 - i};t=3582`,
        policy,
      ])
    }
    // Not by a caller whose limit it would be.
    for (const token of ['svc_sk_wrong', undefined, superAdminToken]) {
      const reply = await app.call('GET', '/v1/context', token === undefined ? {} : { token, namespace: 'acme' })
      expect(headersOf(reply)).toEqual([null, null])
    }
    expect(headersOf(await app.call('GET', '/v1/health'))).toEqual([null, null])
  })

  test('beyond a limit it is 429, after 401 and before 403, and nothing is recorded', async () => {
    const app = await limited('3/60', null)
    const ann = await app.principal({ id: 'ann', namespace: 'acme' })
    const bob = await app.principal({ id: 'bob', namespace: 'acme' })
    toWindow(60)
    now += 59_001
    const get = (token: string, namespace?: string) =>
      app.call('GET', '/v1/context', { token, ...(namespace === undefined ? {} : { namespace }) })
    for (const expected of [200, 200, 403]) {
      expect((await get(ann, expected === 403 ? 'other' : undefined)).status).toBe(expected)
    }
    for (const namespace of [undefined, 'other', '']) {
      const { status, headers, body } = await get(ann, namespace)
      expect({ status, code: body.error }).toEqual({ status: 429, code: 'rate_limited' })
      expect(headers.get('retry-after')).toBe('1')
      expect(headersOf({ headers })).toEqual(['"principal";r=0;t=1', '"principal";q=3;w=60'])
    }
    expect((await app.call('GET', '/v1/context', { token: 'svc_sk_wrong' })).status).toBe(401)
    const graphql = await app.graphql('{ scopes { count } }', {}, { token: ann })
    expect(graphql.status).toBe(429)
    expect(graphql.headers.get('retry-after')).toBe('1')
    expect(graphql.body.errors[0].extensions.code).toBe('rate_limited')
    const mcp = await app.call('POST', '/mcp', { token: ann, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } })
    expect(mcp.status).toBe(429)
    expect((await get(bob)).status).toBe(200)
    now += 1000
    expect((await get(ann)).status).toBe(200)
    const { body } = await app.call('GET', '/v1/audit?limit=50', { token: superAdminToken, namespace: 'acme' })
    expect(JSON.stringify(body)).not.toContain('rate_limited')
  })

  test('all credentials of a principal share one, all principals of a home namespace the other', async () => {
    const app = await limited('5/60', '7/60')
    const ann = await app.principal({ id: 'ann', namespace: 'acme' })
    const bob = await app.principal({ id: 'bob', namespace: 'acme' })
    const key = 'mutation { createApiKey(input: { name: "k" }) { token } }'
    toWindow(60)
    const made = await app.graphql(key, {}, { token: ann })
    const second = made.body.data.createApiKey.token
    const status = async (token: string) => (await app.call('GET', '/v1/context', { token })).status
    const replies: number[] = []
    for (const token of [second, ann, second, ann, second, bob, bob]) replies.push(await status(token))
    expect(replies).toEqual([200, 200, 200, 200, 429, 200, 429])
  })

  test('fifty at once are exactly as many as the limit allows', async () => {
    const app = await limited('20/60', null)
    const ann = await app.principal({ id: 'ann', namespace: 'acme' })
    toWindow(60)
    const all = await Promise.all(Array.from({ length: 50 }, () => app.call('GET', '/v1/context', { token: ann })))
    expect(all.filter(({ status }) => status === 200)).toHaveLength(20)
  })

  test.skipIf(!process.env.TEST_DATABASE_URL)('replicas count together', async () => {
    const first = await limited('20/60', null)
    const storage = { ...first.storage, dataDir: `${first.storage.dataDir}/other` }
    const second = await limited('20/60', null, { storage })
    const ann = await first.principal({ id: 'ann', namespace: 'acme' })
    toWindow(60)
    const calls = Array.from({ length: 50 }, (_, i) =>
      (i % 2 === 0 ? first : second).call('GET', '/v1/context', { token: ann }),
    )
    expect((await Promise.all(calls)).filter(({ status }) => status === 200)).toHaveLength(20)
  })

  test('requests that reach the shared store in another order are as many as the limit allows', async () => {
    const answers: PromiseWithResolvers<number>[] = []
    const shared = {
      increment: () => {
        const answer = Promise.withResolvers<number>()
        answers.push(answer)
        return answer.promise
      },
    }
    const requestCounter = createSharedCounter(shared, createMemoryKeyValue())
    const app = await limited('2/60', null, { bindings: { requestCounter } })
    const ann = await app.principal({ id: 'ann', namespace: 'acme' })
    toWindow(60)
    const all = Promise.all([0, 1, 2].map(() => app.call('GET', '/v1/context', { token: ann })))
    await expect.poll(() => answers.length).toBe(3)
    for (const [i, count] of [3, 1, 2].entries()) answers[i]?.resolve(count)
    expect((await all).map(({ status }) => status).toSorted()).toEqual([200, 200, 429])
  })

  test('without the shared store each process counts alone', async () => {
    const shared = {
      increment: () => Promise.reject(new Error('away')),
    }
    const requestCounter = createSharedCounter(shared, createMemoryKeyValue())
    const app = await limited('2/60', null, { bindings: { requestCounter } })
    const ann = await app.principal({ id: 'ann', namespace: 'acme' })
    toWindow(60)
    const replies: number[] = []
    for (let i = 0; i < 3; i++) replies.push((await app.call('GET', '/v1/context', { token: ann })).status)
    expect(replies).toEqual([200, 200, 429])
  })

  test('settings name requests and seconds', () => {
    expect(limitsOf('600/60', null)).toEqual(
      requestLimitsConfig({ RATE_LIMIT_PRINCIPAL: { requests: 600, seconds: 60 } }),
    )
    for (const wrong of ['0/60', '60', '60/0', '1.5/60', ' 60/60', '60/60/60', '-1/60', '1e3/60']) {
      expect(() => limitsOf(wrong, null), wrong).toThrow(/RATE_LIMIT_PRINCIPAL: must be requests\/seconds/)
    }
  })
})
