import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../../support/access/browser.ts'
import { signInWith } from '../../support/access/sign-in.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { waited } from '../../support/waited.ts'

let app: TestApp
let hook: Server
const mails: { kind: string; to: string; url: string }[] = []
const lines: string[] = []
/** The status that the hook returns; 0 means no answer. */
let answer = 200

beforeAll(async () => {
  hook = createServer(async (request, response) => {
    mails.push((await json(request)) as (typeof mails)[number])
    if (answer > 0) response.writeHead(answer).end()
  })
  hook.listen(0, '127.0.0.1')
  await once(hook, 'listening')
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/mail`
  const note = (fields: object, message: string) => lines.push(`${message} ${JSON.stringify(fields)}`)
  app = await boot({
    config: { signIn: signInWith({ publicOrigin: 'http://localhost' }), mail: { kind: 'webhook', url } },
    bindings: { log: { info: note, warn: note, error: note } },
  })
})
afterAll(async () => {
  hook.close()
  hook.closeAllConnections()
  await app.close()
})

const mailTo = async (address: string) => {
  await expect.poll(() => mails.some(({ to }) => to === address)).toBe(true)
  return mails.filter(({ to }) => to === address)
}

describe('with a mail hook', () => {
  it('nobody gets in before the link in the mail was opened', async () => {
    const browser = openBrowser(app)
    expect((await browser.signUp('ada@example.com')).status).toBe(200)
    expect(browser.cookies.size).toBe(0)
    expect((await browser.signIn('ada@example.com')).status).toBe(403)
    const [mail] = await mailTo('ada@example.com')
    expect(mail).toEqual({
      kind: 'verify-email',
      to: 'ada@example.com',
      url: expect.stringMatching(/^http:\/\/localhost\/api\/auth\/verify-email\?token=/),
    })
    const link = new URL(mail?.url ?? '')
    const bad = await browser.call('GET', `${link.pathname}?token=x${link.searchParams.get('token')}`)
    expect(bad.status).toBe(401)
    const headers = { 'sec-fetch-site': 'cross-site' }
    const opened = await browser.call('GET', `${link.pathname}${link.search}`, { headers })
    expect([opened.status, opened.headers.get('location')]).toEqual([302, '/'])
    expect(browser.cookies.size).toBe(0)
    expect((await browser.signIn('ada@example.com')).status).toBe(200)
    expect((await browser.call('GET', '/v1/context')).status).toBe(200)
  })

  it('a sign-up does not tell whether the address has an account', async () => {
    const [first, second] = [await openBrowser(app).signUp('bob@x.org'), await openBrowser(app).signUp('bob@x.org')]
    expect(Object.keys(second.body.user)).toEqual(Object.keys(first.body.user))
    expect([second.status, second.body.token]).toEqual([first.status, first.body.token])
  })

  it('a hook that fails or hangs holds nothing up, and no link reaches the log', async () => {
    answer = 500
    expect((await openBrowser(app).signUp('carol@example.com')).status).toBe(200)
    await mailTo('carol@example.com')
    await expect.poll(() => lines.some((line) => line.includes('could not be sent'))).toBe(true)
    answer = 0
    const { ms } = await waited(async () => {
      expect((await openBrowser(app).signUp('dave@example.com')).status).toBe(200)
      expect((await app.call('GET', '/v1/health')).status).toBe(200)
    })
    expect(ms).toBeLessThan(5000)
    await mailTo('dave@example.com')
    hook.closeAllConnections()
    await expect.poll(() => lines.filter((line) => line.includes('could not be sent')).length).toBeGreaterThan(1)
    for (const { url } of mails) {
      const token = new URL(url).searchParams.get('token') ?? ''
      expect(lines.filter((line) => line.includes(token))).toEqual([])
    }
  })
})
