import { existsSync, readdirSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

const build = new URL('../../../src/http/reference/dist/', import.meta.url)
const isBuilt = existsSync(build) && readdirSync(build).length > 0

let app: TestApp
beforeAll(async () => {
  app = await boot({ config: { brand: 'atlas', publicOrigin: 'https://search.example.com' } })
})
afterAll(() => app.close())

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.app.fetch(new Request(`http://localhost${path}`, { method, headers }))

describe('the API reference', () => {
  test('may load and send nothing elsewhere, and run no script of a page', async () => {
    const { status, headers } = await get('/reference')
    expect(status).toBe(200)
    const policy = new Map(
      (headers.get('content-security-policy') ?? '').split('; ').map((one): [string, string[]] => {
        const [name = '', ...sources] = one.split(' ')
        return [name, sources]
      }),
    )
    expect(policy.get('default-src')).toEqual(["'none'"])
    expect(policy.get('script-src')).toEqual(["'self'"])
    expect(policy.get('connect-src')).toEqual(["'self'"])
    expect(policy.get('frame-ancestors')).toEqual(["'none'"])
    expect([...policy.values()].flat().filter((source) => source.includes('.') || source === '*')).toEqual([])
    expect(headers.get('strict-transport-security')).not.toBeNull()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('has a tag, and is a page of GET and HEAD alone', async () => {
    const first = await get('/reference')
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('no-cache')
    expect(await (await get('/reference', { 'if-none-match': etag })).text()).toBe('')
    expect((await get('/reference', { 'if-none-match': etag })).status).toBe(304)
    expect((await get('/reference', {}, 'HEAD')).status).toBe(200)
    for (const [method, path] of [
      ['POST', '/reference'],
      ['GET', '/reference/'],
      ['GET', '/reference/../package.json'],
      ['GET', '/reference/scalar-0.0.0/standalone.esm.js'],
    ] as const) {
      const answer = await get(path, {}, method)
      expect([answer.status, (await answer.json()).error], path).toEqual([404, 'not_found'])
    }
  })

  test.skipIf(!isBuilt)('has files for ever, in the coding that the browser takes', async () => {
    const html = await (await get('/reference')).text()
    expect(html).toContain('<title>API reference - atlas</title>')
    const [script = ''] = /\/reference\/reference-\w+\.js/.exec(html) ?? []
    const [style = ''] = /\/reference\/reference-\w+\.css/.exec(html) ?? []
    expect((await get(style)).headers.get('content-type')).toBe('text/css; charset=utf-8')
    const [program = ''] = /scalar-[\d.]+\/standalone\.esm\.js/.exec(await (await get(script)).text()) ?? []
    const plain = await (await get(`/reference/${program}`)).text()
    expect(plain).toContain('createApiReference')
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const answer = await get(`/reference/${program}`, { 'accept-encoding': coding })
      expect(answer.headers.get('content-encoding')).toBe(coding)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(answer.headers.get('vary')).toBe('Accept-Encoding')
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect(bytes.length).toBeLessThan(plain.length / 2)
      expect(decode(bytes).toString()).toBe(plain)
    }
  })
})
