import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { exchange, type LoggedServer, listen } from '../../support/process/http-server.ts'

let app: TestApp
let server: LoggedServer
beforeAll(async () => {
  app = await boot()
  server = await listen(app)
})
afterAll(async () => {
  await server.close()
  await app.close()
})

describe('GraphiQL', () => {
  const fetchPage = async (headers: Record<string, string>) => {
    const response = await app.app.fetch(
      new Request('http://localhost/graphql', { headers: { accept: 'text/html', ...headers } }),
    )
    return { response, bytes: Buffer.from(await response.arrayBuffer()) }
  }

  it('is compressed as the browser takes it, with one tag', async () => {
    const plain = await fetchPage({ 'accept-encoding': 'identity' })
    expect(plain.response.headers.get('content-encoding')).toBeNull()
    const br = await fetchPage({ 'accept-encoding': 'gzip, deflate, br, zstd' })
    expect(br.response.headers.get('content-encoding')).toBe('br')
    const gzip = await fetchPage({ 'accept-encoding': 'gzip;q=0.8, br;q=0' })
    expect(gzip.response.headers.get('content-encoding')).toBe('gzip')
    expect(brotliDecompressSync(br.bytes).equals(plain.bytes)).toBe(true)
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true)
    expect(br.bytes.length).toBeLessThan(plain.bytes.length / 3)
    expect(gzip.bytes.length).toBeLessThan(plain.bytes.length / 3)
    const tags = [plain, br, gzip].map(({ response }) => response.headers.get('etag'))
    expect(new Set(tags).size).toBe(1)
    for (const { response } of [plain, br, gzip]) expect(response.headers.get('vary')).toMatch(/Accept-Encoding/)
  })

  it('is sent once: what a browser still has is 304', async () => {
    const etag = (await fetchPage({})).response.headers.get('etag') ?? ''
    for (const named of [etag, `"other", ${etag}`, '*', etag.replace('W/', '')]) {
      const { response, bytes } = await fetchPage({ 'if-none-match': named, 'accept-encoding': 'br' })
      expect(response.status, named).toBe(304)
      expect(response.headers.get('etag')).toBe(etag)
      expect(bytes).toHaveLength(0)
    }
    expect((await fetchPage({ 'if-none-match': '"other"' })).response.status).toBe(200)
    const lines = [
      'GET /graphql HTTP/1.1',
      'Host: a',
      'Accept: text/html',
      `If-None-Match: ${etag}`,
      'Connection: close',
    ]
    const raw = await exchange(server.port, `${lines.join('\r\n')}\r\n\r\n`)
    expect({ status: raw.status, length: raw.headers.get('content-length'), body: raw.body }).toEqual({
      status: 304,
      length: null,
      body: '',
    })
  })

  it('says where the key goes', async () => {
    const page = (await fetchPage({})).bytes.toString()
    expect(page).toMatch(/API key[^<]{0,80}Headers[^<]{0,80}Authorization[^<]{0,20}Bearer/)
  })
})

describe('sign-in', () => {
  it.each([
    'error?error=x&error_description=y',
    'ok',
    'reference',
    '',
    'docs',
    'open-api/generate-schema',
    'verify-email?token=x',
  ])('has no page of the makers of its library: %s', async (path) => {
    const { headers, body } = await app.call('GET', `/api/auth/${path}`)
    expect(headers.get('content-type') ?? 'application/json').toMatch(/^application\/json/)
    expect(JSON.stringify([body, [...headers]])).not.toMatch(/better-?auth|<html|https?:\/\/(?!localhost)/i)
  })
})

interface Parameter {
  name: string
  in: string
  required?: boolean
}

describe('openapi.json', () => {
  const parametersOf = async (path: string): Promise<Parameter[]> => {
    const { body } = await app.call('GET', '/openapi.json')
    return body.paths[path].post.parameters
  }

  it("has the webhook's signature as a header", async () => {
    expect(await parametersOf('/v1/billing/webhook')).toMatchObject([
      { name: 'Stripe-Signature', in: 'header', required: true },
    ])
  })

  it('puts no secret into an address', async () => {
    expect((await parametersOf('/v1/billing/reconcile')).map(({ name }) => name)).toEqual(['cursor'])
    const { body } = await app.call('GET', '/openapi.json')
    expect(body.paths['/v1/billing/reconcile'].post.security).toEqual([{ bearer: [] }])
    for (const operations of Object.values<Record<string, { parameters: Parameter[] }>>(body.paths)) {
      for (const { parameters } of Object.values(operations)) {
        const inQuery = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
        expect(inQuery.filter((name) => /secret|token|key|signature|password/.test(name))).toEqual([])
      }
    }
  })
})
