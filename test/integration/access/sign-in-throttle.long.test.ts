import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../../src/http/server.ts'
import { openBrowser, password } from '../../support/access/browser.ts'
import { signInWith, withVariant } from '../../support/access/sign-in.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
const tries = 3
const throttle = { tries, windowSeconds: 60 }
const secret = 'the same secret on every replica of this test'

beforeAll(async () => {
  app = await boot({ config: { signIn: signInWith({ secret }) } })
  await openBrowser(app).signUp('ada@example.com')
})
afterAll(() => app.close())

/** Signs in over a new socket, from one of this machine's addresses; returns the status. */
async function signIn(url: string, localAddress: string, given: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ email: 'ada@example.com', password: given })
  const outgoing = request(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    localAddress,
    headers: { 'content-type': 'application/json', ...headers },
  })
  outgoing.end(body)
  const [incoming] = await once(outgoing, 'response')
  incoming.resume()
  await once(incoming, 'end')
  return incoming.statusCode
}

/** Each test has its own server, and addresses that no other test uses, because the catalog stores the counts. */
const withServer = (trustedProxies: readonly string[], work: (url: string) => Promise<void>) =>
  withVariant(app, { signIn: signInWith({ secret, throttle, trustedProxies }) }, async (variant) => {
    const server = await startServer(variant.app.handler, {
      host: '127.0.0.1',
      port: 0,
      log: variant.runtime.bindings.log,
      drainMs: 100,
    })
    await work(server.url).finally(() => server.close())
  })

describe('tries to sign in', () => {
  it('are counted by the peer of the socket, whatever it says it is, for all replicas together', async () => {
    await withServer([], async (url) => {
      for (let i = 0; i < tries; i += 1) expect(await signIn(url, '127.0.0.2', `wrong ${i}`)).toBe(401)
      expect(await signIn(url, '127.0.0.2', 'wrong again')).toBe(429)
    })
    await withServer([], async (url) => {
      for (const name of ['x-forwarded-for', 'x-client-address', 'x-real-ip', 'forwarded']) {
        expect(await signIn(url, '127.0.0.2', password, { [name]: '203.0.113.7' })).toBe(429)
      }
      expect(await signIn(url, '127.0.0.3', password)).toBe(200)
    })
  })

  it('are counted by whom a trusted proxy names; an untrusted one in front of it is not believed', async () => {
    await withServer(['127.0.0.4/32', '10.0.0.0/8'], async (url) => {
      const from = (chain: string, given = 'wrong') => signIn(url, '127.0.0.4', given, { 'x-forwarded-for': chain })
      for (let i = 0; i < tries; i += 1) expect(await from(`198.51.100.${i}, 203.0.113.1, 10.1.1.1`)).toBe(401)
      expect(await from('198.51.100.99, 203.0.113.1, 10.1.1.1')).toBe(429)
      expect(await from('203.0.113.1')).toBe(429)
      expect(await from('203.0.113.2', password)).toBe(200)
      // If the request does not come from the proxy, its own address counts.
      expect(await signIn(url, '127.0.0.5', password, { 'x-forwarded-for': '203.0.113.1' })).toBe(200)
    })
  })

  it('are counted exactly when they come all at once', async () => {
    await withServer([], async (url) => {
      const statuses = await Promise.all(Array.from({ length: 12 }, () => signIn(url, '127.0.0.6', 'wrong')))
      expect(statuses.filter((status) => status === 401)).toHaveLength(tries)
      expect(statuses.filter((status) => status === 429)).toHaveLength(12 - tries)
    })
  })

  it('do not count requests of who is signed in', async () => {
    await withServer([], async (url) => {
      const browser = openBrowser(app)
      await browser.signIn('ada@example.com')
      const cookie = `svc.session_token=${browser.cookies.get('svc.session_token')}`
      for (let i = 0; i < tries * 2; i += 1) {
        for (const path of ['/v1/context', '/api/auth/get-session']) {
          const reply = await fetch(`${url}${path}`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
          expect(reply.status).toBe(200)
          await reply.text()
        }
      }
    })
  })

  it('never keep anyone from signing out', async () => {
    await withServer([], async (url) => {
      const headers = { origin: url, 'content-type': 'application/json' }
      // More than the library allows an address for anything else.
      for (let i = 0; i < 101; i += 1) {
        const reply = await fetch(`${url}/api/auth/sign-out`, { method: 'POST', headers, body: '{}' })
        expect(reply.status).toBe(200)
        await reply.text()
      }
    })
  })
})
