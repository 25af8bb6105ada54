import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../src/adapters/catalog/catalog.ts'
import { type Browser, openBrowser, password } from '../support/access/browser.ts'
import { signInWith } from '../support/access/sign-in.ts'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, signInWithKey } from '../support/browser/browser.ts'
import { type OpenConsole, openConsole } from '../support/browser/open-console.ts'

const email = 'ada@example.com'
const secret = 'The lantern burns all night.'

describe.skipIf(noBrowser)(`a session that ends, in a browser${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: OpenConsole
  /** The same person elsewhere. */
  let elsewhere: Browser
  let namespace: string
  let window: BrowserContext

  beforeAll(async () => {
    opened = await openConsole({ signIn: signInWith() })
    opened.app.runtime.listensAt(opened.url)
    elsewhere = openBrowser(opened.app)
    await elsewhere.signUp(email)
    namespace = (await elsewhere.call('GET', '/v1/context')).body.principal.namespace
    const units = [{ external_id: 'lantern', text: secret, acl_groups: ['*'] }]
    expect((await elsewhere.call('POST', '/v1/ingest', { body: { units } })).body.error).toBeUndefined()
  })
  afterAll(() => opened?.close())

  beforeEach(async () => {
    window = await opened.window()
    await elsewhere.signIn(email)
    return () => window.close()
  })

  const search = '/search?q=lantern'
  const hit = (page: Page) => page.getByRole('list', { name: 'Results' }).getByText(secret)
  const alert = (page: Page) => page.getByRole('alert').filter({ hasText: 'You are signed out' })

  const expectNamespace = (page: Page, name: string) =>
    expect.poll(() => page.getByRole('combobox', { name: 'Namespace' }).inputValue()).toBe(name)

  async function fillIn(page: Page): Promise<void> {
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  /** A tab that shows what only this person may read. */
  async function signedInTab(): Promise<Page> {
    const page = await window.newPage()
    await page.goto(`${opened.url}/welcome?next=${encodeURIComponent(search)}`)
    await fillIn(page)
    await hit(page).waitFor()
    return page
  }

  /** Another tab with the cookie of the first. */
  async function openTab(path: string): Promise<Page> {
    const page = await window.newPage()
    await page.goto(opened.url + path)
    await expectNamespace(page, namespace)
    return page
  }

  /** The alert stands there, and nothing else that came from the service. */
  async function expectSignedOut(page: Page): Promise<void> {
    await alert(page).waitFor()
    await expect.poll(() => page.title()).toBe('Signed out - Multimodal Retrieval')
    for (const hidden of [secret, namespace]) await expect.poll(() => page.content()).not.toContain(hidden)
    await expect.poll(() => page.getByRole('combobox').count()).toBe(0)
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }

  it('ends in every tab with the cookie, and in no tab with a key', async () => {
    const one = await signedInTab()
    const two = await openTab(search)
    await hit(two).waitFor()
    const token = await opened.app.principal({ id: 'robot', namespace: 'robots' })
    const keyed = await window.newPage()
    await signInWithKey(keyed, token)
    await keyed.goto(`${opened.url}/search`)
    await expectNamespace(keyed, 'robots')

    await signOut(one)
    await expectSignedOut(one)
    await expectSignedOut(two)
    await expect.poll(() => violations(two)).toEqual([])
    await keyed.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Documents' }).click()
    await keyed.locator('main[aria-busy="false"]').getByRole('heading', { level: 1, name: 'Documents' }).waitFor()
    await expectNamespace(keyed, 'robots')
    await expect.poll(() => alert(keyed).count()).toBe(0)
    await keyed.reload()
    await expectNamespace(keyed, 'robots')
  })

  it('continues where the service refuses to end it, and says so', async () => {
    const page = await signedInTab()
    await page.route('**/api/auth/sign-out', (route) =>
      route.fulfill({ status: 503, headers: { 'x-request-id': 'req-out-1' }, json: { message: 'down' } }),
    )
    const notice = page.getByRole('status', { name: 'Notifications' })
    await signOut(page)
    await notice.getByText('You are still signed in: down (request id req-out-1)').waitFor()
    await page.unroute('**/api/auth/sign-out')
    await page.route('**/api/auth/sign-out', (route) => route.abort('connectionrefused'))
    await signOut(page)
    await notice.getByText('You are still signed in: The service does not answer').waitFor()
    await expect.poll(() => alert(page).count()).toBe(0)
    await hit(page).waitFor()
    await page.unroute('**/api/auth/sign-out')
    await signOut(page)
    await expectSignedOut(page)
  })

  it('leads back to the same address', async () => {
    const one = await signedInTab()
    const two = await openTab(search)
    const address = two.url()
    await signOut(one)
    await alert(two).getByRole('link', { name: 'Sign in' }).click()
    await fillIn(two)
    await hit(two).waitFor()
    await expect.poll(() => two.url()).toBe(address)
    await one.reload()
    await hit(one).waitFor()
  })

  it('closes a command palette that lists namespaces', async () => {
    const one = await signedInTab()
    const two = await openTab(search)
    await two.locator('body').press('Control+k')
    await two.getByRole('option', { name: `Namespace ${namespace}` }).waitFor()
    await signOut(one)
    await expectSignedOut(two)
    await expect.poll(() => two.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => two.content()).not.toContain(namespace)
  })

  it('ends with the next request once it was revoked elsewhere, in an idle tab too', async () => {
    const one = await signedInTab()
    const idle = await openTab(search)
    await hit(idle).waitFor()
    expect((await elsewhere.call('POST', '/api/auth/revoke-other-sessions')).status).toBe(200)
    await one.getByRole('searchbox', { name: 'Search' }).fill('lamp')
    await expectSignedOut(one)
    await expectSignedOut(idle)
    expect((await elsewhere.call('GET', '/v1/context')).status).toBe(200)
  })

  it('ends by itself on a page that asks again and again, once it ran out', async () => {
    await signedInTab()
    await window.clock.install()
    const health = await openTab('/health')
    await health.locator('main[aria-busy="false"]').getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    const { client } = opened.app.runtime.bindings.catalog as PrismaCatalog
    await client.authSession.updateMany({ where: { user: { email } }, data: { expiresAt: new Date(Date.now() - 1) } })
    await health.clock.fastForward(60_000)
    await expectSignedOut(health)
    await alert(health).getByRole('link', { name: 'Sign in' }).click()
    await fillIn(health)
    await health.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
  })

  it('broke no policy, called no other host, and logged no error', () => {
    expect(opened.problems).toEqual([])
  })
})
