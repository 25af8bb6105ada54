import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, openBrowser } from '../../support/access/browser.ts'
import { signInWith, withVariant } from '../../support/access/sign-in.ts'
import { boot, type Reply, superAdminToken, type TestApp } from '../../support/boot.ts'
import { createLineLog, exchange, listen } from '../../support/process/http-server.ts'

const publicOrigin = 'https://search.test'
const allowed = 'https://pages.test'

let app: TestApp
let ada: Browser
beforeAll(async () => {
  app = await boot({ config: { signIn: signInWith() } })
  ada = openBrowser(app)
  await ada.signUp('ada@example.com')
  // From now on there is a principal, so seeding needs a credential.
  await ada.call('GET', '/v1/context')
})
afterAll(() => app.close())

type Headers = Record<string, string>
interface Door {
  name: string
  call(at: TestApp, headers: Headers): Promise<Reply>
}

/** What needs no credential, or a cookie, or is called by pages with a token. Where it is open, something else is wrong. */
const doors: Door[] = [
  { name: 'the seed', call: (at, headers) => at.call('POST', '/v1/admin/seed', { headers }) },
  { name: 'the mutation seed', call: (at, headers) => at.graphql('mutation { seed { tokens } }', {}, { headers }) },
  { name: 'sign-up', call: (at, headers) => at.call('POST', '/api/auth/sign-up/email', { headers, body: {} }) },
  { name: 'sign-in', call: (at, headers) => at.call('POST', '/api/auth/sign-in/email', { headers, body: {} }) },
  { name: 'registration', call: (at, headers) => at.call('POST', '/oauth/register', { headers, body: {} }) },
  { name: 'MCP', call: (at, headers) => at.call('POST', '/mcp', { headers, body: {} }) },
  { name: 'a read by cookie', call: (at, headers) => at.call('GET', '/v1/context', { headers: withCookie(headers) }) },
  {
    name: 'a write by cookie',
    call: (at, headers) => at.call('POST', '/v1/scopes', { headers: withCookie(headers), body: {} }),
  },
  {
    name: 'GraphQL by cookie',
    call: (at, headers) => at.graphql('{ context { perms } }', {}, { headers: withCookie(headers) }),
  },
  {
    name: 'the session',
    call: (at, headers) => at.call('GET', '/api/auth/get-session', { headers: withCookie(headers) }),
  },
  { name: 'consent', call: (at, headers) => at.call('POST', '/consent', { headers: withCookie(headers), body: {} }) },
]

const withCookie = (headers: Headers) => ({
  ...headers,
  cookie: [...ada.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
})

/** 403, or not; and what the answer says. */
async function refusal(door: Door, at: TestApp, headers: Headers): Promise<string | null> {
  const { status, body } = await door.call(at, headers)
  const [error] = body?.errors ?? []
  const refused = status === 403 || error?.extensions.status === 403
  return refused ? (body.detail ?? error?.message ?? body.message) : null
}

/** What a browser sends for a page that it loaded from there. */
const pageAt = (host: string): Headers => ({ host, origin: new URL(`http://${host}`).origin })

const own = [
  'localhost',
  'localhost.',
  'LOCALHOST:8787',
  'app.localhost:3000',
  '127.0.0.1:8787',
  '127.1.2.3',
  '0x7f.1:8787',
  '[::1]:8787',
  '192.0.2.7:80',
  '[2001:db8::1]',
]
const strange = [
  'evil.example',
  'evil.example:8787',
  'EVIL.example.',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'notlocalhost',
  'myserver:8787',
]

describe.each(doors)('$name', (door) => {
  it('is open to pages at loopback names and addresses', async () => {
    for (const host of own) expect(await refusal(door, app, pageAt(host)), host).toBeNull()
  })

  it('is closed to pages under a name that is not known, whatever a proxy says: it may be made to lead here', async () => {
    for (const host of strange) {
      const forms: Headers[] = [
        pageAt(host),
        { ...pageAt(host), 'sec-fetch-site': 'same-origin' },
        { host, 'sec-fetch-site': 'same-origin' },
        { host, 'sec-fetch-site': 'none' },
        { ...pageAt(host), 'x-forwarded-host': 'localhost', forwarded: 'host=localhost' },
      ]
      for (const headers of forms)
        expect(await refusal(door, app, headers), JSON.stringify(headers)).toContain('PUBLIC_URL')
    }
  })

  it('is open to the names that the operator set, with any port, and to pages there behind any name', async () => {
    const config = { signIn: signInWith({ publicOrigin }), publicOrigin, allowedOrigins: [allowed] }
    await withVariant(app, config, async (at) => {
      const isOpen: Headers[] = [
        { host: 'search.test', origin: publicOrigin },
        { host: 'search.test:8787', origin: publicOrigin, 'sec-fetch-site': 'same-origin' },
        { host: 'SEARCH.test.', 'sec-fetch-site': 'same-origin' },
        { host: 'upstream', origin: publicOrigin },
        { host: 'pages.test', 'sec-fetch-site': 'same-origin' },
        pageAt('127.0.0.1:8787'),
      ]
      for (const headers of isOpen) expect(await refusal(door, at, headers), JSON.stringify(headers)).toBeNull()
      const isClosed: Headers[] = [
        pageAt('evil.example'),
        pageAt('search.test.evil.example'),
        { host: 'search.test', origin: 'https://evil.example' },
        { host: 'search.test', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      ]
      for (const headers of isClosed) expect(await refusal(door, at, headers), JSON.stringify(headers)).not.toBeNull()
    })
  })
})

describe('a name that is not known', () => {
  it('is nothing to programs: they send neither Origin nor Sec-Fetch-Site', async () => {
    const withoutCookie = doors.filter(({ name }) => !/cookie|session|consent/.test(name))
    for (const door of withoutCookie) {
      // Sec-Fetch-Mode is sent by fetch of Node.
      const headers = { host: 'myserver:8787', 'sec-fetch-mode': 'cors' }
      expect(await refusal(door, app, headers), door.name).toBeNull()
    }
  })

  it('does not hinder a page that calls with a key, and shows the console', async () => {
    const context = { headers: pageAt('myserver:8787'), token: superAdminToken }
    expect((await app.call('GET', '/v1/context', context)).status).toBe(200)
    const options = await app.graphql('{ signInOptions { firstRun } }', {}, { headers: pageAt('myserver:8787') })
    expect(options.body.data.signInOptions).toEqual({ firstRun: false })
  })

  it('is none where the request names no host', async () => {
    const server = await listen(app, createLineLog())
    const send = (...lines: string[]) =>
      exchange(server.port, [...lines, 'Content-Length: 0', 'Connection: close', '', ''].join('\r\n'))
    const seed = `Authorization: Bearer ${superAdminToken}`
    const nameless = await send('POST /v1/admin/seed HTTP/1.0', seed, 'Origin: http://evil.example')
    expect(nameless).toMatchObject({ status: 403, body: expect.stringContaining('PUBLIC_URL') })
    const absolute = await send(
      'POST http://127.0.0.1/v1/admin/seed HTTP/1.1',
      'Host: evil.example',
      seed,
      'Origin: http://evil.example',
    )
    expect(absolute).toMatchObject({ status: 403, body: expect.stringContaining('PUBLIC_URL') })
    const two = await send('POST /v1/admin/seed HTTP/1.1', 'Host: localhost', 'Host: evil.example', seed)
    expect(two.status).toBe(400)
    await server.close()
  })
})
