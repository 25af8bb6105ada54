import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKeysOf } from '../support/access/api-keys.ts'
import { atNight, sampled } from '../support/amounts.ts'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, overflow } from '../support/browser/browser.ts'
import { hostileUnits } from '../support/browser/hostile-units.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

const paths = [
  '/welcome',
  '/reset-password?token=x',
  '/search?q=payment&scope=*',
  '/search?q=payment&compare=1&b.q=audit&scope=*',
  '/ask?q=What+is+the+monthly+fee+of+the+payment+gateway%3F&scope=*',
  '/documents?scope=*',
  '/documents?view=units&scope=*',
  '/view?doc=timetable-winter-2025&scope=*',
  '/view?doc=none&scope=*',
  '/access/members',
  '/access/principals',
  '/access/grants',
  '/access/groups',
  '/access/invitations',
  '/access/keys',
  '/access/explain',
  '/audit?row=1',
  '/usage',
  '/evaluation',
  '/health',
  '/settings',
]
/** By day every second page: the parts of which pages are made stand on several. */
const tried = sampled(paths, 11)
/** Contrast depends on the theme, and what overflows on the width. */
const places = (['light', 'dark'] as const).flatMap((theme) => [1440, 360].map((width) => ({ theme, width })))

describe.skipIf(noBrowser)(`every page of the console${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  /** One window for all: the scripts are loaded once. */
  let page: Page
  beforeAll(async () => {
    opened = await openSeededConsole()
    page = await opened.tab()
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  let visited = 0
  /** The page that is open has no violation in any place, by day in one of them in turn, and fits a phone. */
  const fits = async (page: Page, path: string) => {
    const [first = 0, last = first] = atNight ? [0, places.length - 1] : [visited++ % places.length]
    for (const { theme, width } of places.slice(first, last + 1)) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize({ width, height: 900 })
      const message = `${path}, ${theme}, ${width} px`
      await expect.poll(() => violations(page), { message }).toEqual([])
      await expect.poll(() => overflow(page), { message }).toBeLessThanOrEqual(0)
    }
    await page.setViewportSize({ width: 360, height: 900 })
    await expect.poll(() => overflow(page), { message: path }).toBeLessThanOrEqual(0)
  }

  it.each(tried)('%s has no violation and does not scroll sideways', async (path) => {
    await page.goto(path)
    await page.locator('main[aria-busy="false"] h1').waitFor()
    await page.waitForLoadState('networkidle')
    await fits(page, path)
  })

  it('an open menu has no violation, takes keys, and gives the focus back', async () => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/search?q=payment&scope=*')
    const focused = () => page.evaluate<string>('document.activeElement.innerText')
    for (const [of, last] of [
      [page.getByRole('banner').getByRole('button', { name: 'Theme' }), 'Dark'],
      [page.getByRole('list', { name: 'Results' }).getByRole('button', { name: 'Copy as' }).first(), 'GraphQL'],
    ] as const) {
      await of.focus()
      await page.keyboard.press('ArrowDown')
      await page.getByRole('menuitem', { name: last }).waitFor()
      await expect.poll(() => violations(page)).toEqual([])
      await page.keyboard.press('ArrowUp')
      await expect.poll(focused).toContain(last)
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await expect.poll(() => of.evaluate((button) => button === document.activeElement)).toBe(true)
      await of.click()
      await page.getByRole('menu').waitFor()
      await page.getByRole('heading', { level: 1 }).click()
      await page.getByRole('menu').waitFor({ state: 'detached' })
    }
  })

  it('text that is markup has no violation either', async () => {
    const written = await opened.app.call('POST', '/v1/ingest', { token: opened.admin, body: { units: hostileUnits } })
    expect(written.status, JSON.stringify(written.body)).toBe(200)
    for (const path of ['/documents?view=units&prefix=hostile', '/view?doc=hostile']) {
      await page.goto(path)
      await page.locator('[role="table"], [aria-label="Source"]').first().waitFor()
      await fits(page, path)
    }
  })

  it('moves in rank stand between two searches, and `s` and a button keep golden queries that can be run', async () => {
    const page = await opened.open('/search?q=payment&compare=1&b.q=payment+gateway&scope=*')
    const results = (side: string) => page.getByRole('list', { name: `Results ${side}` })
    await results('B')
      .getByText(/only here|same rank|▲ \d+ up|▼ \d+ down/)
      .first()
      .waitFor()
    const names = (side: string) => results(side).getByRole('link').allInnerTexts()
    /** What the hits of A say of their rank, and what they should. */
    const moves = async () => {
      const [a, b, items] = [await names('A'), await names('B'), await results('A').getByRole('listitem').all()]
      const shown = await Promise.all(items.map((item) => item.innerText()))
      return shown.map((text, at) => {
        const by = b.indexOf(a[at] ?? '') - at
        const isOnlyHere = !b.includes(a[at] ?? '')
        const words = isOnlyHere ? 'only here' : by === 0 ? 'same rank' : by > 0 ? `▲ ${by} up` : `▼ ${-by} down`
        return text.includes(words) ? 'right' : `${text} instead of ${words}`
      })
    }
    await expect.poll(async () => new Set(await moves())).toEqual(new Set(['right']))
    await results('A').getByRole('link').first().focus()
    await page.keyboard.press('s')
    await page.getByRole('status', { name: 'Notifications' }).getByText('Kept as golden query').waitFor()
    await results('B').getByRole('button', { name: 'Keep as golden query' }).first().click()
    const kept = async () =>
      (await opened.app.graphql('{ goldenQueries { count } }', {}, { token: opened.admin })).body.data.goldenQueries
        .count
    await expect.poll(kept).toBe(2)
    await page.goto('/evaluation')
    await page
      .getByRole('table', { name: 'Golden queries' })
      .getByRole('link', { name: 'payment', exact: true })
      .waitFor()
    await page.getByRole('button', { name: 'Run all golden queries' }).click()
    await page.getByRole('table', { name: 'Runs' }).getByText('finished').first().waitFor()
    for (const query of ['payment', 'payment gateway']) {
      await page.getByRole('button', { name: `Delete ${query}`, exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete golden query' }).click()
    }
    await page.getByText('None yet. Search, and press').waitFor()
    await page.context().close()
  })

  it('usage counts the Units, health names the engines, and settings make a scope and delete it', async () => {
    const page = await opened.open('/usage')
    const { body } = await opened.app.call('GET', '/v1/catalog/stats', { token: opened.admin })
    await page.getByText(body.storage.catalog_rows.toLocaleString('en'), { exact: true }).first().waitFor()
    await page.goto('/health')
    await page.getByRole('region', { name: 'Engines' }).getByText('All is well').waitFor()
    await expect.poll(() => page.getByRole('table', { name: 'Planes' }).getByRole('row').count()).toBe(5)
    await page.goto('/settings')
    await page.getByRole('textbox', { name: 'Path' }).fill('harbor/attic')
    await page.getByRole('button', { name: 'Make scope' }).click()
    const row = page.getByRole('table', { name: 'Scopes' }).getByRole('row').filter({ hasText: 'harbor/attic' })
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete with all Units' }).click()
    await row.waitFor({ state: 'detached' })
    await page.context().close()
  })

  it('settings choose what answers say of hidden Units, and show the old choice again where it is refused', async () => {
    const { app, admin } = opened
    const saved = async () => {
      const { body } = await app.graphql('{ namespace(name: "demo") { hiddenCount } }', {}, { token: admin })
      return body.data.namespace.hiddenCount
    }
    const page = await opened.open('/settings')
    const choice = page.getByRole('combobox', { name: 'Hidden Units' })
    await expect.poll(() => choice.inputValue()).toBe('exact')
    await choice.selectOption('nothing')
    await expect.poll(saved).toBe('off')
    await page.reload()
    await expect.poll(() => choice.inputValue()).toBe('off')
    await choice.selectOption('the exact number')
    await expect.poll(saved).toBe('exact')
    await page.context().close()

    const { token: key } = await apiKeysOf(app).mint(admin, { hiddenCount: 'some' })
    const limited = await opened.open('/settings', { key })
    const refused = limited.getByRole('combobox', { name: 'Hidden Units' })
    await refused.selectOption('nothing')
    await limited.getByRole('region', { name: 'Namespace' }).getByRole('alert').getByText('hiddenCount').waitFor()
    await expect.poll(() => refused.inputValue()).toBe('exact')
    await expect.poll(() => saved()).toBe('exact')
    await limited.context().close()
  })

  it('a PDF without fonts is drawn with those of the service, in Japanese too', async () => {
    const japanese = [
      '%PDF-1.4',
      '1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj',
      '2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj',
      '3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>> endobj',
      '4 0 obj <</Length 41>> stream\nBT /F 40 Tf 20 100 Td <93FA967B8CEA> Tj ET\nendstream endobj',
      '5 0 obj <</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/90ms-RKSJ-H/DescendantFonts[6 0 R]>> endobj',
      '6 0 obj <</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 7 0 R>> endobj',
      '7 0 obj <</Type/FontDescriptor/FontName/HeiseiMin-W3/Flags 4/FontBBox[0 -200 1000 900]/Ascent 900/Descent -200/CapHeight 700/StemV 80/ItalicAngle 0>> endobj',
      'trailer <</Root 1 0 R/Size 8>>',
    ].join('\n')
    const page = await opened.open('/search')
    const loaded: string[] = []
    page.on('response', (answer) => loaded.push(`${answer.status()} ${new URL(answer.url()).pathname}`))
    const loads = (name: string) =>
      expect.poll(() => loaded.filter((line) => line.startsWith(`200 /assets/${name}-`)).length).toBe(1)
    await page.goto('/view?doc=timetable-winter-2025&scope=*')
    await page.getByRole('img', { name: 'Page 1' }).waitFor()
    await loads('LiberationSans-Regular')
    await page.route(
      ({ pathname }) => !pathname.startsWith('/assets/') && pathname !== '/graphql' && pathname !== '/view',
      (route) => route.fulfill({ contentType: 'application/pdf', body: japanese }),
    )
    await page.reload()
    await page.getByRole('img', { name: 'Page 1' }).waitFor()
    await loads('90ms-RKSJ-H')
    await loads('Adobe-Japan1-UCS2')
    await page.context().close()
  })

  it('a list of choices opens, narrows, chooses and closes by keys, and hides nothing of its page', async () => {
    const page = await opened.open('/documents?scope=*')
    const scope = page.getByRole('combobox', { name: 'Scope' })
    await scope.press('ArrowDown')
    await page.getByRole('option', { name: 'All scopes', selected: true }).waitFor()
    await expect.poll(() => violations(page)).toEqual([])
    await scope.fill('nowhere')
    await page.getByText('Nothing fits.').waitFor()
    await expect.poll(() => violations(page)).toEqual([])
    await scope.press('Escape')
    await expect.poll(() => scope.inputValue()).toBe('*')
    await scope.fill('finance')
    await scope.press('Enter')
    await page.waitForURL(/scope=harbor%2Ffinance/)
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('combobox', { name: 'Destination' }).press('ArrowDown')
    await page.getByRole('listbox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await page.getByRole('dialog').waitFor()
    await page.context().close()
  })

  it('a page is reached, filtered and opened by the keyboard alone', async () => {
    const page = await opened.open('/search?scope=*')
    await page.keyboard.press('Tab')
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Skip to content')
    await page.keyboard.press('Enter')
    for (const [letter, title] of [
      ['a', 'Ask'],
      ['c', 'Access'],
      ['l', 'Audit log'],
      ['u', 'Usage and billing'],
      ['e', 'Evaluation'],
      ['h', 'Health'],
      [',', 'Settings'],
      ['d', 'Documents'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(letter)
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    }
    await page.getByRole('table', { name: 'Documents' }).getByRole('link').first().waitFor()
    // The focus moves with the key itself, not a frame later: Enter may be pressed before.
    const pressed = `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))`
    await expect.poll(() => page.evaluate(`${pressed}, document.activeElement.matches('[data-item="0"] a')`)).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Units' }).waitFor()
    await page.context().close()
  })
})
