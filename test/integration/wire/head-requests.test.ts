import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { exchange, type LoggedServer, listen } from '../../support/process/http-server.ts'

let app: TestApp
let server: LoggedServer
let token: string
beforeAll(async () => {
  app = await boot()
  server = await listen(app)
  token = (await app.call('POST', '/v1/admin/seed')).body.tokens.enterprise
})
afterAll(async () => {
  await server.close()
  await app.close()
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

describe('HEAD', () => {
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
