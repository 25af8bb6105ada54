import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
import type { Config } from '../../../src/config.ts'
import { type Browser, openBrowser } from '../../support/access/browser.ts'
import { type OidcProvider, startOidcProvider } from '../../support/access/oidc-provider.ts'
import { signInWith, withVariant } from '../../support/access/sign-in.ts'
import { boot, type Reply, type TestApp } from '../../support/boot.ts'
import { listen, shut } from '../../support/process/local-http.ts'

let provider: OidcProvider
let app: TestApp

const oidcSignIn = (changes: Parameters<typeof signInWith>[0] = {}): Partial<Config> => ({
  signIn: signInWith({ publicOrigin: 'http://localhost', oidc: provider, ...changes }),
})

beforeAll(async () => {
  provider = await startOidcProvider()
  app = await boot({ config: oidcSignIn() })
})
afterAll(async () => {
  await app.close()
  await provider.close()
})

const begin = (browser: Browser) =>
  browser.call('POST', '/api/auth/sign-in/social', { body: { provider: 'oidc', callbackURL: '/console' } })

/** Follows the redirects to the provider and back, as a browser does. */
async function signIn(browser: Browser): Promise<Reply> {
  const asked = await begin(browser)
  expect(asked.status).toBe(200)
  const sent = await fetch(asked.body.url, { redirect: 'manual' })
  const back = new URL(sent.headers.get('location') ?? '')
  expect(`${back.origin}${back.pathname}`).toBe('http://localhost/api/auth/callback/oidc')
  // The provider's site starts this navigation.
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'null' }
  return browser.call('GET', `${back.pathname}${back.search}`, { headers })
}

describe('signing in with an identity provider', () => {
  it('creates a user with a home namespace, once', async () => {
    const [first, second] = [openBrowser(app), openBrowser(app)]
    const reply = await signIn(first)
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/console'])
    await signIn(second)
    const contexts = [await first.call('GET', '/v1/context'), await second.call('GET', '/v1/context')]
    expect(contexts[0]?.body.principal.namespace).toMatch(/^u-grace-example-com-/)
    expect(contexts[1]?.body).toEqual(contexts[0]?.body)
  })

  it('takes the state that this browser began with, and an ID token that the provider signed', async () => {
    const [browser, other] = [openBrowser(app), openBrowser(app)]
    const { url } = (await begin(browser)).body
    const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '')
    const stolen = await other.call('GET', `${back.pathname}${back.search}`)
    expect(stolen.headers.get('location')).toContain('error=')
    expect((await other.call('GET', '/v1/context')).status).toBe(401)
    provider.forges = true
    try {
      expect((await signIn(browser)).headers.get('location')).toContain('error=')
      expect((await browser.call('GET', '/v1/context')).status).toBe(401)
    } finally {
      provider.forges = false
    }
  })

  it('does not take over an account whose address was never verified', async () => {
    const squatter = openBrowser(app)
    await squatter.signUp('heidi@example.com')
    provider.person = { sub: '2', email: 'heidi@example.com', email_verified: true, name: 'Heidi' }
    const browser = openBrowser(app)
    expect((await signIn(browser)).headers.get('location')).toContain('error=account_not_linked')
    expect((await browser.call('GET', '/v1/context')).status).toBe(401)
  })

  it('keeps to the sign-up policy', async () => {
    provider.person = { sub: '3', email: 'ivan@elsewhere.test', email_verified: true, name: 'Ivan' }
    for (const signUp of ['closed', { domains: ['example.com'] }] as const) {
      await withVariant(app, oidcSignIn({ signUp }), async (variant) => {
        const browser = openBrowser(variant)
        expect((await signIn(browser)).headers.get('location')).toContain('error=SIGN_UP_REFUSED')
        expect((await browser.call('GET', '/v1/context')).status).toBe(401)
      })
    }
    const browser = openBrowser(app)
    await signIn(browser)
    expect((await browser.call('GET', '/v1/context')).status).toBe(200)
  })

  it('takes an address for one of a listed domain only where it is proved, by the provider or by a mail', async () => {
    const mails: { to: string; url: string }[] = []
    const hook = createServer(async (request, response) => {
      mails.push((await json(request)) as (typeof mails)[number])
      response.end()
    })
    const mail = { kind: 'webhook', url: await listen(hook) } as const
    await withVariant(app, { ...oidcSignIn({ signUp: { domains: ['example.com'] } }), mail }, async (variant) => {
      provider.person = { sub: '4', email: 'kim@example.com', email_verified: false, name: 'Kim' }
      const browser = openBrowser(variant)
      expect((await signIn(browser)).headers.get('location')).toContain('error=email_not_verified')
      expect((await browser.call('GET', '/v1/context')).status).toBe(401)
      const sent = () => mails.find(({ to }) => to === 'kim@example.com')?.url
      await expect.poll(sent).toBeDefined()
      const { pathname, search } = new URL(sent() ?? '')
      await variant.call('GET', `${pathname}${search}`)
      expect((await signIn(browser)).headers.get('location')).toBe('/console')
      expect((await browser.call('GET', '/v1/context')).status).toBe(200)
    })
    await shut(hook)
  })

  it('waits for no provider: the rest works, and it is tried again', async () => {
    const gone = { ...provider, issuer: 'http://127.0.0.1:9' }
    await withVariant(app, oidcSignIn({ oidc: gone }), async (variant) => {
      const browser = openBrowser(variant)
      expect((await begin(browser)).status).toBe(503)
      expect((await browser.signUp('judy@example.com')).status).toBe(200)
      expect((await browser.call('GET', '/v1/context')).status).toBe(200)
      gone.issuer = provider.issuer
      expect((await begin(browser)).status).toBe(200)
    })
  })

  it('is not there unless it is configured', async () => {
    await withVariant(app, { signIn: signInWith() }, async (variant) => {
      expect((await begin(openBrowser(variant))).status).toBe(404)
    })
  })

  it('keeps none of the provider’s tokens', async () => {
    const { client } = app.runtime.bindings.catalog as PrismaCatalog
    const select = { accountId: true, accessToken: true, refreshToken: true, idToken: true }
    const accounts = await client.authAccount.findMany({ where: { providerId: 'oidc' }, select })
    expect(accounts.length).toBeGreaterThan(0)
    const none = { accessToken: null, refreshToken: null, idToken: null }
    for (const { accountId, ...tokens } of accounts) expect([accountId, tokens]).toEqual([expect.any(String), none])
  })
})
