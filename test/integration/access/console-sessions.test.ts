import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { openBrowser, password } from '../../support/access/browser.ts'
import { signInWith, withVariant } from '../../support/access/sign-in.ts'
import { boot, type Reply, type TestApp } from '../../support/boot.ts'

let app: TestApp
const lines: string[] = []

beforeAll(async () => {
  const note = (fields: object, message: string) => {
    const err = 'err' in fields && fields.err instanceof Error ? `${fields.err.stack} ${fields.err.message}` : ''
    lines.push(`${message} ${JSON.stringify(fields)} ${err}`)
  }
  app = await boot({ config: { signIn: signInWith() }, bindings: { log: { info: note, warn: note, error: note } } })
})
afterAll(() => app.close())

const optionsOf = async (some: TestApp) =>
  (await some.graphql('{ signInOptions { email signUp oidc brand } }', {})).body.data.signInOptions

const setCookie = (reply: Reply) => reply.headers.getSetCookie().find((line) => line.startsWith('svc.session_token='))

describe('the session', () => {
  it('begins with a sign-up, is resumed by a sign-in, and ends at once with a sign-out', async () => {
    const browser = openBrowser(app)
    expect((await browser.call('GET', '/v1/context')).status).toBe(401)
    expect((await browser.signUp('life@example.com')).status).toBe(200)
    expect((await browser.call('GET', '/v1/context')).status).toBe(200)
    expect((await browser.graphql('{ context { perms } }')).body.data.context.perms).toContain('admin')

    const other = openBrowser(app)
    expect((await other.signIn('life@example.com', 'not the password')).status).toBe(401)
    expect((await other.call('GET', '/v1/context')).status).toBe(401)
    expect((await other.signIn('life@example.com')).status).toBe(200)

    const kept = browser.cookies.get('svc.session_token')
    expect((await browser.call('POST', '/api/auth/sign-out')).status).toBe(200)
    expect(browser.cookies.has('svc.session_token')).toBe(false)
    browser.cookies.set('svc.session_token', `${kept}`)
    expect((await browser.call('GET', '/v1/context')).status).toBe(401)
    expect((await other.call('GET', '/v1/context')).status).toBe(200)
  })

  it('runs out, and ends elsewhere with a change of the password', async () => {
    const [browser, other] = [openBrowser(app), openBrowser(app)]
    await browser.signUp('change@example.com')
    await other.signIn('change@example.com')
    const body = { currentPassword: password, newPassword: 'another good password', revokeOtherSessions: true }
    const wrong = { ...body, currentPassword: 'wrong' }
    expect((await browser.call('POST', '/api/auth/change-password', { body: wrong })).status).toBe(400)
    expect((await other.call('GET', '/v1/context')).status).toBe(200)
    expect((await browser.call('POST', '/api/auth/change-password', { body })).status).toBe(200)
    expect((await other.call('GET', '/v1/context')).status).toBe(401)
    expect((await other.signIn('change@example.com')).status).toBe(401)
    expect((await browser.call('GET', '/v1/context')).status).toBe(200)
    const { client } = app.runtime.bindings.catalog as PrismaCatalog
    const expiresAt = new Date(Date.now() - 1)
    await client.authSession.updateMany({ where: { user: { email: 'change@example.com' } }, data: { expiresAt } })
    expect((await browser.call('GET', '/v1/context')).status).toBe(401)
  })

  it('has a cookie that scripts cannot read, of the one name; Secure where the service is reached by https', async () => {
    const plain = setCookie(await openBrowser(app).signUp('cookie@example.com'))
    expect(plain).toMatch(/; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(plain).not.toContain('Secure')
    await withVariant(app, { signIn: signInWith({ publicOrigin: 'https://console.test' }) }, async (secure) => {
      const cookie = setCookie(await openBrowser(secure).signIn('cookie@example.com'))
      expect(cookie).toMatch(/; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    })
    await withVariant(app, { brand: 'acme', signIn: signInWith() }, async (branded) => {
      expect(await optionsOf(branded)).toMatchObject({ signUp: 'open', brand: 'acme' })
      const browser = openBrowser(branded)
      await browser.signIn('cookie@example.com')
      expect([...browser.cookies.keys()]).toEqual(['acme.session_token'])
      expect((await browser.call('GET', '/v1/context')).status).toBe(200)
    })
  })

  it('is signed with a secret of this installation, which no one else can read', async () => {
    const file = join(app.storage.dataDir, 'secrets', 'auth-secret')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
    const browser = openBrowser(app)
    const { body } = await browser.signUp('forger@example.com')
    const status = async (secret: string) => {
      const signature = createHmac('sha256', secret).update(body.token).digest('base64')
      browser.cookies.set('svc.session_token', encodeURIComponent(`${body.token}.${signature}`))
      return (await browser.call('GET', '/v1/context')).status
    }
    expect(await status(readFileSync(file, 'utf8').trim())).toBe(200)
    expect(await status('better-auth-secret-12345678901234567890')).toBe(401)
    browser.cookies.set('svc.session_token', body.token)
    expect((await browser.call('GET', '/v1/context')).status).toBe(401)
  })
})

describe('the order of mechanisms', () => {
  it('is token, then cookie; the access JWT is never looked at', async () => {
    const browser = openBrowser(app)
    await browser.signUp('order@example.com')
    const principal = async (headers: Record<string, string>) => {
      const { status, body } = await browser.call('GET', '/v1/context', { headers })
      return status === 200 ? body.principal.principal_id : status
    }
    const mine = await principal({})
    expect(mine).toMatch(/^user_/)
    const token = await app.principal({ id: 'robot', namespace: 'robots' })
    expect(await principal({ authorization: `Bearer ${token}` })).toBe('robot')
    for (const authorization of ['Bearer svc_sk_no_such', 'Bearer', 'Basic YTpi', '']) {
      expect(await principal({ authorization })).toBe(401)
    }
    const assertion = { 'x-access-jwt-assertion': 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJyb2JvdCJ9.' }
    expect(await principal(assertion)).toBe(mine)
    expect((await app.call('GET', '/v1/context', { headers: assertion })).status).toBe(401)
  })
})

describe('bad input', () => {
  const person = { name: 'Ada', email: 'input@example.com', password }

  it.each([
    ['no JSON', '{', 400],
    ['nothing', '', 400],
    ['null', 'null', 400],
    ['a list', '[]', 400],
    ['no address', { ...person, email: 'nobody' }, 400],
    ['a short password', { ...person, password: 'short' }, 400],
    ['a long password', { ...person, password: 'x'.repeat(129) }, 400],
    ['a long name', { ...person, name: 'x'.repeat(129) }, 400],
    ['NUL in the name', { ...person, name: 'a\0b' }, 400],
    ['NUL in the image', { ...person, image: 'a\0b' }, 400],
    ['an unpaired surrogate', { ...person, name: '\ud800' }, 400],
    ['numbers', { name: 1, email: 2, password: 3 }, 400],
    ['too much', { ...person, rest: 'x'.repeat(70_000) }, 400],
  ])('is refused as such: %s', async (_, body, status) => {
    const reply = await openBrowser(app).call('POST', '/api/auth/sign-up/email', { body })
    expect(reply.status).toBe(status)
    expect(reply.headers.getSetCookie()).toEqual([])
  })

  it('cannot claim what the service decides', async () => {
    const claims = { id: 'chosen', emailVerified: true, createdAt: 0 }
    const body = { ...person, email: 'claims@example.com', ...claims }
    const { user } = (await openBrowser(app).call('POST', '/api/auth/sign-up/email', { body })).body
    expect(user.emailVerified).toBe(false)
    expect(user.id).not.toBe('chosen')
    expect(Date.parse(user.createdAt)).toBeGreaterThan(0)
  })

  it('meets no endpoint beyond those of sign-in', async () => {
    const browser = openBrowser(app)
    await browser.signUp('curious@example.com')
    for (const path of ['update-user', 'delete-user', 'change-email', 'forget-password', 'nothing', '']) {
      expect((await browser.call('POST', `/api/auth/${path}`, { body: { name: 'x' } })).status).toBe(404)
    }
    for (const cookie of ['svc.session_token=%zz', 'svc.session_token=a.b', 'svc.session_token=;;=']) {
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      expect((await app.call('GET', '/api/auth/get-session', { headers })).body).toBeNull()
      expect((await app.call('GET', '/v1/context', { headers })).status).toBe(401)
    }
  })
})

describe('who may sign up', () => {
  it('is nobody where sign-up is closed, who has an account included', async () => {
    await openBrowser(app).signUp('old@example.com')
    await withVariant(app, { signIn: signInWith({ signUp: 'closed' }) }, async (closed) => {
      expect(await optionsOf(closed)).toEqual({ email: true, signUp: 'closed', oidc: false, brand: 'svc' })
      const replies = [await openBrowser(closed).signUp('old@example.com'), await openBrowser(closed).signUp('n@x.org')]
      for (const reply of replies) {
        expect(reply.status).toBe(403)
        expect(reply.body).toEqual(replies[0]?.body)
        expect(reply.headers.getSetCookie()).toEqual([])
      }
      expect((await openBrowser(closed).signIn('n@x.org')).status).toBe(401)
      expect((await openBrowser(closed).signIn('old@example.com')).status).toBe(200)
    })
    // If the refused sign-up had been stored, this would be 422.
    expect((await openBrowser(app).signUp('n@x.org')).status).toBe(200)
  })

  it('is who has an address of the named domains, and of no other that ends alike', async () => {
    const signUp = { domains: ['example.com', 'x.org'] }
    const refused = ['a@evil.test', 'a@notexample.com', 'a@sub.example.com', 'a@example.com.evil.test']
    await withVariant(app, { signIn: signInWith({ signUp }) }, async (some) => {
      expect(await optionsOf(some)).toMatchObject({ signUp: 'domains' })
      const status = async (email: string) => (await openBrowser(some).signUp(email)).status
      expect(await status('one@example.com')).toBe(200)
      expect(await status('two@X.ORG')).toBe(200)
      for (const email of refused) expect(await status(email)).toBe(403)
    })
    for (const email of refused) expect((await openBrowser(app).signUp(email)).status).toBe(200)
  })
})

describe('where sign-in is off', () => {
  it('there are no endpoints, and cookies mean nothing', async () => {
    const browser = openBrowser(app)
    await browser.signUp('gone@example.com')
    await withVariant(app, { signIn: { kind: 'off' } }, async (off) => {
      const headers = { cookie: `svc.session_token=${browser.cookies.get('svc.session_token')}` }
      const reply = await openBrowser(off).signIn('gone@example.com')
      expect(reply.body).toEqual({ error: 'not_found', detail: 'console sign-in is off', status: 404 })
      const context = await off.call('GET', '/v1/context', { headers: { ...headers, 'sec-fetch-site': 'same-origin' } })
      expect(context.status).toBe(401)
    })
  })
})

describe('the log', () => {
  it('holds no password and no token, whatever went wrong', async () => {
    const browser = openBrowser(app)
    const { body } = await browser.signUp('quiet@example.com')
    await browser.signIn('quiet@example.com', 'a wrong password')
    await browser.call('GET', '/v1/context')
    const headers = { origin: 'https://evil.test' }
    await browser.call('POST', '/api/auth/sign-in/email', { headers, body: { email: 'quiet@example.com', password } })
    expect(lines.length).toBeGreaterThan(0)
    for (const secret of [password, 'a wrong password', body.token, `${browser.cookies.get('svc.session_token')}`]) {
      expect(lines.filter((line) => line.includes(secret))).toEqual([])
    }
  })
})
