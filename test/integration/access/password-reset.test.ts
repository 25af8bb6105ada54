import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import { startServer } from '../../../src/http/server.ts'
import { openBrowser, password } from '../../support/access/browser.ts'
import { signInWith, withVariant } from '../../support/access/sign-in.ts'
import { boot, type TestApp } from '../../support/boot.ts'

const secret = 'the same secret on every replica of this test'
const newPassword = 'another horse, another staple'

let app: TestApp
let hook: Server
const mails: { kind: string; to: string; url: string }[] = []
const lines: string[] = []
let mail: { kind: 'webhook'; url: string }

beforeAll(async () => {
  hook = createServer(async (request, response) => {
    mails.push((await json(request)) as (typeof mails)[number])
    response.end()
  })
  hook.listen(0, '127.0.0.1')
  await once(hook, 'listening')
  mail = { kind: 'webhook', url: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/` }
  const note = (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`)
  app = await boot({
    config: { signIn: signInWith({ secret, publicOrigin: 'http://localhost' }), mail },
    bindings: { log: { info: note, warn: note, error: note } },
  })
})
afterAll(async () => {
  hook.close()
  hook.closeAllConnections()
  await app.close()
})

const mailsTo = (address: string, kind: string) => mails.filter((sent) => sent.to === address && sent.kind === kind)
const ask = (email: unknown, more: object = {}, headers: Record<string, string> = {}) =>
  app.call('POST', '/api/auth/request-password-reset', { body: { email, ...more }, headers })
const reset = (token: unknown, given: unknown = newPassword) =>
  app.call('POST', '/api/auth/reset-password', { body: { token, newPassword: given } })

/** A signed-in person. */
async function person(email: string) {
  const browser = openBrowser(app)
  await browser.signUp(email)
  await expect.poll(() => mailsTo(email, 'verify-email').length).toBeGreaterThan(0)
  const { pathname, search } = new URL(mailsTo(email, 'verify-email').at(-1)?.url ?? '')
  await browser.call('GET', `${pathname}${search}`)
  await browser.signIn(email)
  return browser
}

/** The token of the newest link. */
async function tokenFor(email: string): Promise<string> {
  const before = mailsTo(email, 'reset-password').length
  expect((await ask(email)).status).toBe(200)
  await expect.poll(() => mailsTo(email, 'reset-password').length).toBe(before + 1)
  return new URL(mailsTo(email, 'reset-password').at(-1)?.url ?? '').searchParams.get('token') ?? ''
}

const database = () => (app.runtime.bindings.catalog as PrismaCatalog).client

describe('a forgotten password', () => {
  it('is replaced by the link, once, and ends every session of that person', async () => {
    const [ada, other, bob] = [await person('ada@example.com'), openBrowser(app), await person('bob@example.com')]
    await other.signIn('ada@example.com')
    expect((await other.call('GET', '/v1/context')).status).toBe(200)
    const [first, token] = [await tokenFor('ada@example.com'), await tokenFor('ada@example.com')]
    expect((await reset(token, 'short')).status).toBe(400)
    expect((await reset(token)).status).toBe(200)
    expect((await ada.call('GET', '/v1/context')).status).toBe(401)
    expect((await other.call('GET', '/v1/context')).status).toBe(401)
    expect((await bob.call('GET', '/v1/context')).status).toBe(200)
    for (const spent of [token, first, 'x', '', 'a\0b', 7, undefined]) {
      expect(await reset(spent)).toMatchObject({ status: 400, body: { code: 'INVALID_TOKEN' } })
    }
    expect((await ada.signIn('ada@example.com', password)).status).toBe(401)
    expect((await ada.signIn('ada@example.com', newPassword)).status).toBe(200)
  })

  it('is used once by two who race', async () => {
    await person('race@example.com')
    const token = await tokenFor('race@example.com')
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await reset(token)).status))
    expect(statuses.sort()).toEqual([200, 400, 400, 400])
  })

  it('answers known and unknown addresses alike, before the address is looked up', async () => {
    await person('known@example.com')
    const stored = () => database().authVerification.count()
    const before = await stored()
    const known = await ask('known@example.com')
    expect(await stored()).toBe(before)
    const unknown = await ask('unknown@example.com')
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body])
    const namesOf = ({ headers }: typeof known) => [...headers.keys()].sort()
    expect(namesOf(known)).toEqual(namesOf(unknown))
    await expect.poll(() => mailsTo('known@example.com', 'reset-password').length).toBe(1)
    expect(mails.some(({ to }) => to === 'unknown@example.com')).toBe(false)
    for (const email of ['no address', 7, null, undefined, 'a@b.c\0']) expect((await ask(email)).status).toBe(400)
  })

  it('gets a link to this service, whatever the request says about hosts', async () => {
    await person('host@example.com')
    const foreign = { redirectTo: 'https://evil.test/steal', callbackURL: 'https://evil.test/steal' }
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' }
    expect((await ask('host@example.com', foreign, headers)).status).toBe(200)
    await expect.poll(() => mailsTo('host@example.com', 'reset-password').length).toBe(1)
    const [sent] = mailsTo('host@example.com', 'reset-password')
    expect(sent?.url).toMatch(/^http:\/\/localhost\/reset-password\?token=\w{24}$/)
    const signUp = { name: 'Eve', email: 'eve@example.com', password, callbackURL: 'https://evil.test/steal' }
    await app.call('POST', '/api/auth/sign-up/email', { body: signUp, headers })
    expect(JSON.stringify(mails)).not.toContain('evil.test')
  })

  it('keeps of a link the hash alone, and logs neither it nor the address', async () => {
    await person('quiet@example.com')
    const token = await tokenFor('quiet@example.com')
    const rows = await database().authVerification.findMany()
    expect(JSON.stringify(rows)).not.toContain(token)
    const hash = createHash('sha256').update(`reset-password:${token}`).digest('base64url')
    expect(rows.map(({ identifier }) => identifier)).toContain(hash)
    expect(lines.filter((line) => line.includes(token) || line.includes('quiet@example.com'))).toEqual([])
  })

  it('proves the address that the mail came to', async () => {
    const browser = openBrowser(app)
    await browser.signUp('new@example.com')
    expect((await browser.signIn('new@example.com')).status).toBe(403)
    await reset(await tokenFor('new@example.com'))
    expect((await browser.signIn('new@example.com', newPassword)).status).toBe(200)
  })

  it('counts as a try to sign in', async () => {
    const throttled = signInWith({ secret, throttle: { tries: 3, windowSeconds: 60 }, trustedProxies: ['127.0.0.1'] })
    await withVariant(app, { signIn: throttled, mail }, async ({ app: variant, runtime }) => {
      const server = await startServer(variant.handler, { host: '127.0.0.1', port: 0, log: runtime.bindings.log })
      const post = async (path: string, body: object) => {
        const headers = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' }
        return (await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status
      }
      for (const [path, body, status] of [
        ['/api/auth/request-password-reset', { email: 'nobody@example.com' }, 200],
        ['/api/auth/reset-password', { token: 'x', newPassword }, 400],
      ] as const) {
        const statuses: number[] = []
        for (let i = 0; i < 4; i += 1) statuses.push(await post(path, body))
        expect(statuses).toEqual([status, status, status, 429])
      }
      await server.close()
    })
  })

  it('is refused where the service sends no mails', async () => {
    await withVariant(app, { signIn: signInWith({ secret }) }, async (variant) => {
      for (const path of ['request-password-reset', 'reset-password']) {
        const body = { email: 'ada@example.com', token: 'x', newPassword }
        const answer = await variant.call('POST', `/api/auth/${path}`, { body })
        expect(answer).toMatchObject({ status: 503, body: { error: 'mail_not_configured', status: 503 } })
        expect(Object.keys(answer.body).sort()).toEqual(['detail', 'error', 'status'])
      }
      const options = await variant.graphql('{ signInOptions { passwordReset } }', {})
      expect(options.body.data.signInOptions).toEqual({ passwordReset: false })
    })
    const options = await app.graphql('{ signInOptions { passwordReset } }', {})
    expect(options.body.data.signInOptions).toEqual({ passwordReset: true })
  })
})
