import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { readBuild, withConsole, withFailedSignIn } from '../../../src/http/console.ts'
import { toFetch } from '../../../src/http/fetch.ts'
import { withHead } from '../../../src/http/handlers.ts'
import { json } from '../../../src/http/message.ts'
import { boot } from '../../support/boot.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; font-src 'self'; media-src 'self' blob:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const browser = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'accept-encoding': 'gzip' }

const directory = mkdtempSync(join(tmpdir(), 'console-'))
const script = 'console.log(1)'
mkdirSync(join(directory, 'assets'))
writeFileSync(
  join(directory, 'index.html'),
  '<meta name="brand" content="svc"><title>Multimodal Retrieval</title><div id="root"></div>',
)
writeFileSync(join(directory, 'assets/index-1234.js'), script)
writeFileSync(join(directory, 'assets/index-1234.js.gz'), gzipSync(script))
writeFileSync(join(directory, 'persisted-documents.json'), '{}')
afterAll(() => rmSync(directory, { recursive: true }))

const log = { info: () => {}, warn: () => {}, error: () => {} }

function serve(options: { https?: boolean; directory?: string } = {}) {
  const build = readBuild(options.directory ?? directory, { brand: 'acme', brandName: 'Acme & Co' })
  const next = withConsole(async () => json(404, { error: 'not_found' }), { build, https: options.https ?? false, log })
  const fetch = toFetch(withHead(next))
  return (path: string, headers: Record<string, string> = browser, method = 'GET') =>
    fetch(new Request(`http://localhost${path}`, { method, headers }))
}

describe('the console is served', () => {
  const get = serve()

  it('as one page at its routes, to those who accept HTML', async () => {
    for (const path of ['/', '/search?q=a', '/access/members', '/audit/receipts/12']) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, 200])
      expect(await response.text()).toContain('<meta name="brand" content="acme"><title>Acme &#38; Co</title>')
    }
    for (const path of [
      '/v1',
      '/access',
      '/search/',
      '/audit/receipts/x',
      '/index.html',
      '/persisted-documents.json',
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404])
    }
    for (const accept of ['*/*', 'application/json', 'text/html;q=0']) {
      expect((await get('/search', { accept })).status).toBe(404)
    }
    expect((await get('/search', browser, 'POST')).status).toBe(404)
  })

  it('under a strict policy, with a tag instead of a copy in caches', async () => {
    const response = await get('/welcome')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    })
    expect(response.headers.has('strict-transport-security')).toBe(false)
    const etag = response.headers.get('etag') ?? ''
    expect((await get('/search', { ...browser, 'if-none-match': etag })).status).toBe(304)
    expect((await serve({ https: true })('/')).headers.get('strict-transport-security')).toBe('max-age=31536000')
  })

  it('with assets that are kept for ever, compressed where the browser takes it', async () => {
    const zipped = await get('/assets/index-1234.js')
    expect(Object.fromEntries(zipped.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': policy,
      vary: 'Accept-Encoding',
    })
    expect(gunzipSync(await zipped.arrayBuffer()).toString()).toBe(script)
    const plain = await get('/assets/index-1234.js', { 'accept-encoding': 'gzip;q=0, zstd' })
    expect(plain.headers.has('content-encoding')).toBe(false)
    expect(await plain.text()).toBe(script)
    for (const name of ['other.js', 'index-1234.js.gz', '..%2findex.html', '']) {
      const missing = await get(`/assets/${name}`)
      expect([name, missing.status, missing.headers.get('content-type')]).toEqual([
        name,
        404,
        'application/json; charset=utf-8',
      ])
    }
  })

  it('without an asset that another build has taken away since the start', async () => {
    const file = join(directory, 'assets/view-1234.js')
    writeFileSync(file, script)
    const served = serve()
    rmSync(file)
    const response = await served('/assets/view-1234.js')
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ error: 'not_found' })])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  it('to HEAD as to GET', async () => {
    const response = await get('/search', browser, 'HEAD')
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(20)
  })

  it('with a way back to the sign-in page for one that failed, and a code at most', async () => {
    const answer = async (query: string, headers = browser, folder = directory) => {
      const build = readBuild(folder, { brand: 'acme', brandName: 'Acme' })
      const handler = withFailedSignIn(async () => json(400, { error: 'bad_request' }), { build, https: false })
      const url = `http://localhost/api/auth/error${query}`
      const response = await toFetch(withHead(handler))(new Request(url, { headers }))
      return [response.status, response.headers.get('location')]
    }
    expect(await answer('?error=state_mismatch')).toEqual([303, '/welcome?error=state_mismatch'])
    expect(await answer('?error=a&error_description=b%0Ac')).toEqual([303, '/welcome?error=a'])
    for (const query of ['', '?error=', '?error=%2F%2Fevil.test', '?error=a%0Ab']) {
      expect(await answer(query)).toEqual([303, '/welcome?error=unknown'])
    }
    expect(await answer('?error=a', { ...browser, accept: 'application/json' })).toEqual([400, null])
    expect(await answer('?error=a', browser, join(directory, 'nowhere'))).toEqual([400, null])
  })

  it('and says how to build it where it is not built', async () => {
    const unbuilt = serve({ directory: join(directory, 'nothing') })
    expect(await (await unbuilt('/')).text()).toContain('npm run build:console')
    expect((await unbuilt('/search')).status).toBe(404)
    expect((await unbuilt('/', { accept: 'application/json' })).status).toBe(404)
  })

  it('unless it is off', async () => {
    const { call, close } = await boot({ config: { console: false } })
    const reply = await call('GET', '/', { headers: browser })
    await close()
    expect([reply.status, reply.body.error]).toEqual([404, 'not_found'])
  })
})
