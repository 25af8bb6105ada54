import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../src/adapters/catalog/catalog.ts'
import { type OidcProvider, startOidcProvider } from '../support/access/oidc-provider.ts'
import { signInWith } from '../support/access/sign-in.ts'
import { violations } from '../support/browser/axe.ts'
import { noBrowser } from '../support/browser/browser.ts'
import { type OpenConsole, openConsole } from '../support/browser/open-console.ts'

describe.skipIf(noBrowser)(`single sign-on in a browser${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let provider: OidcProvider
  let opened: OpenConsole
  let page: Page

  beforeAll(async () => {
    provider = await startOidcProvider()
    opened = await openConsole({ signIn: signInWith({ oidc: provider }) })
    opened.app.runtime.listensAt(opened.url)
  })
  afterAll(async () => {
    await opened?.close()
    await provider?.close()
  })

  beforeEach(async () => {
    provider.forges = false
    const window = await opened.window({ width: 360 })
    page = await window.newPage()
    return () => window.close()
  })

  const start = () => page.getByRole('button', { name: 'Sign in with single sign-on' }).press('Enter')
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const namespace = () => page.getByRole('combobox', { name: 'Namespace' }).inputValue()

  it('leads through the provider to the search, signed in', async () => {
    await page.goto(`${opened.url}/welcome`)
    await start()
    await heading('Search')
    await expect.poll(namespace).toMatch(/^u-grace-example-com-/)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/search')
    await expect.poll(() => page.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([0, 0])
  })

  it('leads back to the address where it began, whatever stands in it', async () => {
    const path = "/documents?scope=*&prefix=it's%20(new)"
    await page.goto(opened.url + path)
    await start()
    await heading('Documents')
    const place = () => {
      const { pathname, searchParams } = new URL(page.url())
      return [pathname, searchParams.get('scope'), searchParams.get('prefix')]
    }
    await expect.poll(place).toEqual(['/documents', '*', "it's (new)"])
  })

  it('says on the sign-in page that it failed, and can be tried again', async () => {
    provider.forges = true
    await page.goto(`${opened.url}/welcome?next=%2Fusage`)
    await start()
    await page.getByRole('alert').getByText('Single sign-on failed: ').waitFor()
    await heading('Welcome')
    await expect.poll(() => violations(page)).toEqual([])
    await page.goto(`${opened.url}/search`)
    await page.waitForURL(/\/welcome\?next=%2Fsearch/)
    await page.goBack()
    await page.getByRole('alert').getByText('Single sign-on failed: ').waitFor()
    provider.forges = false
    await start()
    await heading('Usage')
  })

  it('says so where it took longer than it may', async () => {
    await page.goto(`${opened.url}/welcome`)
    const away = await page.evaluate(async () => {
      const body = JSON.stringify({ provider: 'oidc', callbackURL: '/search' })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch('/api/auth/sign-in/social', { method: 'POST', headers, body })
      return (await response.json()).url
    })
    const { client } = opened.app.runtime.bindings.catalog as PrismaCatalog
    // As the service does with those that ended.
    await client.authVerification.deleteMany()
    await page.goto(away)
    await page.getByRole('alert').getByText('It took more than ten minutes').waitFor()
    await start()
    await heading('Search')
  })

  it('shows a code, and no text that someone put into the address', async () => {
    await page.goto(`${opened.url}/welcome?error=${encodeURIComponent('call 555 0100 now')}`)
    await page.getByRole('alert').getByText('Single sign-on failed: unknown').waitFor()
    await expect.poll(() => page.locator('main').innerText()).not.toContain('555')
  })

  it('broke no policy, called no host but the provider, and logged no error', () => {
    const others = opened.problems.filter((problem) => !problem.startsWith(`request to ${provider.issuer}/authorize?`))
    expect(others).toEqual([])
    expect(opened.problems).not.toEqual([])
  })
})
