import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, password } from '../../support/access/browser.ts'
import { signInWith, withVariant } from '../../support/access/sign-in.ts'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp

beforeAll(async () => {
  app = await boot({ config: { signIn: signInWith() } })
})
afterAll(() => app.close())

describe('other sites', () => {
  const evil = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }

  it('can do nothing with the cookie: not write, not read, at no door', async () => {
    const browser = openBrowser(app)
    await browser.signUp('victim@example.com')
    const attempts = [
      () => browser.call('GET', '/v1/context', { headers: evil }),
      () => browser.call('GET', '/v1/context', { headers: { 'sec-fetch-site': 'same-site' } }),
      () => browser.call('POST', '/v1/scopes', { headers: evil, body: { scope: 'stolen' } }),
      () => browser.graphql('{ context { perms } }', { headers: evil }),
      () => browser.call('GET', '/graphql?query=%7B__typename%7D', { headers: evil }),
      () => browser.call('GET', '/api/auth/get-session', { headers: evil }),
      () => browser.call('POST', '/api/auth/sign-out', { headers: evil }),
    ]
    for (const attempt of attempts) expect((await attempt()).status).toBe(403)
    const cookie = `svc.session_token=${browser.cookies.get('svc.session_token')}`
    expect((await app.call('GET', '/v1/context', { headers: { cookie } })).status).toBe(403)
    expect((await browser.call('GET', '/v1/context')).status).toBe(200)
  })

  it('cannot sign anyone in or up, be it without a cookie', async () => {
    await openBrowser(app).signUp('target@example.com')
    const attempt = (path: string, headers: Record<string, string>) =>
      app.call('POST', path, { headers, body: { name: 'x', email: 'target@example.com', password } })
    const foreign: Record<string, string>[] = [evil, { origin: evil.origin }, { 'sec-fetch-site': 'same-site' }]
    for (const headers of foreign) {
      for (const path of ['/api/auth/sign-in/email', '/api/auth/sign-up/email']) {
        const reply = await attempt(path, headers)
        expect(reply.status).toBe(403)
        expect(reply.headers.getSetCookie()).toEqual([])
      }
    }
    const form = { ...evil, 'content-type': 'application/x-www-form-urlencoded' }
    expect((await app.call('POST', '/api/auth/sign-in/email', { headers: form, body: 'email=a' })).status).toBe(403)
    expect((await attempt('/api/auth/sign-in/email', {})).status).toBe(200)
  })

  it('may be let in by name', async () => {
    const origin = 'https://pages.test'
    await withVariant(app, { signIn: signInWith(), allowedOrigins: [origin] }, async (open) => {
      const headers = { origin, 'sec-fetch-site': 'same-site' }
      const body = { email: 'target@example.com', password }
      const reply = await open.call('POST', '/api/auth/sign-in/email', { headers, body })
      expect(reply.status).toBe(200)
      expect(reply.headers.get('access-control-allow-origin')).toBe(origin)
    })
  })

  it('read of a failure in the one error shape, without what the address says or a link to anyone', async () => {
    const page = await app.call('GET', '/api/auth/error?error=%3Cscript%3Ealert(1)%3C/script%3E', { headers: evil })
    expect(page.body).toEqual({ error: 'bad_request', detail: 'signing in failed: unknown', status: 400 })
    const denied = await app.call('GET', '/api/auth/error?error=access_denied&error_description=x', { headers: evil })
    expect(denied.body.detail).toBe('signing in failed: access_denied')
    expect(JSON.stringify([denied.body, [...denied.headers]])).not.toMatch(/better-?auth|https?:/i)
  })

  it('are never where a sign-in leads', async () => {
    const browser = openBrowser(app)
    const body = { email: 'target@example.com', password, callbackURL: 'https://evil.test/' }
    expect((await browser.call('POST', '/api/auth/sign-in/email', { body })).status).toBe(403)
  })
})
