import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, signInWithKey } from '../support/browser/browser.ts'
import { type OpenConsole, openConsole } from '../support/browser/open-console.ts'

/** Text that would be markup, a script, or shown in another order, if it were not shown as text. */
const hostile = 'lantern <img src=x onerror="alert(1)"> <script>alert(2)</script> abc\u202Egpj.exe'

describe.skipIf(noBrowser)(`the console in a browser${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: OpenConsole
  let admin: string
  let page: Page

  beforeAll(async () => {
    opened = await openConsole()
    page = await (await opened.window()).newPage()
  })
  afterAll(() => opened?.close())

  it('makes the demo, shows its keys once, and leads to the search', async () => {
    await page.goto(`${opened.url}/`)
    await page.getByRole('button', { name: 'Make the demo and sign in' }).click()
    const keys = page.getByRole('region', { name: 'Demo keys' })
    const tokens = async () => [...(await keys.innerText()).matchAll(/svc_sk_\w+/g)].map(([token]) => token)
    await expect.poll(tokens).toHaveLength(5)
    admin = (await tokens())[0] ?? ''
    await expect.poll(() => violations(page)).toEqual([])
    await page.getByRole('link', { name: 'Go to search' }).click()
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await expect
      .poll(() => page.evaluate(() => [sessionStorage.getItem('console.key'), localStorage.length]))
      .toEqual([admin, 0])
  })

  it('searches as one types, and says why a hit was found', async () => {
    await page.getByRole('searchbox', { name: 'Search' }).fill('retention of the audit log')
    const results = page.getByRole('list', { name: 'Results' })
    await results.getByRole('listitem').first().waitFor()
    await expect.poll(() => page.getByRole('status', { name: 'Result count' }).innerText()).toMatch(/^\d+ results/)
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('retention of the audit log')
    const why = results.getByRole('button', { name: 'Why this hit' }).first()
    await why.click()
    const table = page.getByRole('table', { name: 'Score by leg' })
    await table.waitFor()
    await expect.poll(() => why.getAttribute('aria-expanded')).toBe('true')
    await expect
      .poll(() => table.getByRole('columnheader').allInnerTexts())
      .toEqual(['Leg', 'Rank', 'Raw', 'Normalised', 'Weight', 'Share'])
    // Words come first, then the bar, then figures. The built-in vectors know letters alone.
    const items = (name: string) => page.getByRole('list', { name }).getByRole('listitem').allInnerTexts()
    await expect
      .poll(() => items('Reasons'))
      .toEqual([expect.stringMatching(/^found by /), 'meaning not used: no model'])
    await expect.poll(() => items('Shares')).toContainEqual(expect.stringMatching(/^Words \d+ %$/))
    const shares = await items('Shares')
    expect(shares[0]).toMatch(/^Words /)
    expect(shares.join()).not.toContain('Meaning')
    expect(shares.reduce((sum, share) => sum + Number(/(\d+) %$/.exec(share)?.[1]), 0)).toBeGreaterThanOrEqual(99)
    await expect
      .poll(() => table.getByRole('rowheader').allInnerTexts())
      .toEqual(expect.arrayContaining(['Fused', 'Reranked']))
    await expect.poll(() => violations(page)).toEqual([])
    await page.reload()
    await page.getByRole('table', { name: 'Score by leg' }).waitFor()
  })

  it('copies a search without the key', async () => {
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    for (const [name, expected] of [
      ['curl', '/v1/search'],
      ['GraphQL', 'query Search'],
    ] as const) {
      await page.getByRole('button', { name: 'Copy as' }).first().click()
      await page.getByRole('menuitem', { name }).click()
      await expect.poll(copied).toContain(expected)
      await expect.poll(() => copied()).not.toContain(admin)
    }
    await page.getByRole('button', { name: 'Copy as' }).first().click()
    await page.getByRole('menuitem', { name: 'curl' }).click()
    await expect.poll(copied).toContain('$TOKEN')
  })

  it('works by keys alone', async () => {
    await page.locator('body').press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Command palette' })
    await palette.getByRole('combobox').fill('Ask')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor()
    await page.keyboard.press('/')
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Ask' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('retention')
    await page.getByRole('list', { name: 'Results' }).getByRole('listitem').first().waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('j')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.closest('[data-item]')?.getAttribute('data-item')))
      .toBe('0')
    await page.keyboard.press('x')
    await page.getByRole('table', { name: 'Score by leg' }).waitFor()
    const copyAs = page.getByRole('button', { name: 'Copy as' }).first()
    await copyAs.focus()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    for (const key of ['Enter', 'ArrowDown']) {
      await page.keyboard.press(key)
      await expect.poll(focused).toBe('curl')
      await page.keyboard.press('ArrowDown')
      await expect.poll(focused).toBe('GraphQL')
      await page.keyboard.press('Escape')
      await page.getByRole('menuitem').first().waitFor({ state: 'detached' })
      await expect.poll(focused).toBe('Copy as')
    }
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' })
  })

  it('answers sentence by sentence with sources, or says what it looked at', async () => {
    const ask = async (question: string) => {
      await page.getByRole('textbox', { name: 'Question' }).fill(question)
      await page.getByRole('button', { name: 'Ask' }).click()
    }
    await page.goto(`${opened.url}/ask`)
    await ask('What is the monthly fee of the payment gateway?')
    const sentence = page.getByRole('list', { name: 'Sentences' }).getByRole('listitem').first()
    await sentence.waitFor()
    await expect.poll(() => sentence.innerText()).toMatch(/Faithfulness (1\.00|\.\d\d)/)
    await expect.poll(() => sentence.getByRole('link', { name: /^Source \d+$/ }).count()).toBeGreaterThan(0)
    await expect
      .poll(() => page.getByRole('list', { name: 'Sources' }).getByRole('listitem').count())
      .toBeGreaterThan(0)
    await ask('Who painted the ceiling of the opera in Vienna?')
    await page.getByRole('heading', { name: 'No answer found' }).waitFor()
    await page.goBack()
    await sentence.waitFor()
  })

  it('shows hostile text as text', async () => {
    const units = [{ external_id: 'hostile', text: hostile, acl_groups: ['*'] }]
    const { token, scope } = { token: admin, scope: 'harbor/general' }
    expect((await opened.app.call('POST', '/v1/ingest', { token, scope, body: { units } })).body.error).toBeUndefined()
    await page.goto(`${opened.url}/search?q=lantern`)
    const hit = page.getByRole('list', { name: 'Results' }).getByRole('listitem').filter({ hasText: 'hostile' })
    await hit.waitFor()
    await expect.poll(() => hit.innerText()).toContain('<img src=x onerror="alert(1)">')
    await expect.poll(() => hit.innerText()).toContain('U+202E')
    await expect.poll(() => hit.innerText()).not.toContain('\u202E')
    await page.goto(`${opened.url}/ask?q=${encodeURIComponent('lantern img src abc gpj.exe')}&scope=harbor/general`)
    const main = page.locator('main[aria-busy="false"]')
    await main.getByText('<img src=x onerror="alert(1)">').first().waitFor()
    await expect.poll(() => main.innerText()).toContain('U+202E')
    await expect.poll(() => main.innerText()).not.toContain('\u202E')
    await expect.poll(() => main.locator('script, img').count()).toBe(0)
  })

  it('tells each tab of its own key that the session is over', async () => {
    const other = await page.context().newPage()
    await signInWithKey(other, admin)
    await other.goto(`${opened.url}/search`)
    await other.getByRole('button', { name: 'Account' }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await other.getByRole('alert').filter({ hasText: 'You are signed out' }).waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await other.getByRole('link', { name: 'Sign in' }).click()
    await other.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
    await other.getByRole('textbox', { name: 'Key' }).fill('svc_sk_wrong')
    await other.getByRole('button', { name: 'Use key' }).click()
    await other.getByRole('alert').waitFor()
    await other.getByRole('textbox', { name: 'Key' }).fill(admin)
    await other.getByRole('button', { name: 'Use key' }).click()
    await other.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
  })

  it('broke no policy, called no other host, and logged no error', () => {
    expect(opened.problems).toEqual([])
  })
})
