import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { atNight, sampled } from '../support/amounts.ts'
import { noBrowser, visit } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

const paths = [
  '/search?q=payment&scope=*',
  '/search?q=payment&compare=1&b.q=audit&scope=*',
  '/ask?q=What+is+the+monthly+fee+of+the+payment+gateway%3F&scope=*',
  '/documents?scope=*',
  '/documents?view=units&scope=*',
  '/view?doc=timetable-winter-2025&scope=*',
  '/access/members',
  '/access/principals',
  '/access/grants',
  '/access/groups',
  '/access/keys',
  '/audit',
  '/usage',
  '/evaluation',
  '/health',
  '/settings',
]
/** By day some: what fails is the same code in all of them. */
const failing = sampled(paths, 4)
const unavailable = JSON.stringify({ errors: [{ message: 'down', extensions: { code: 'unavailable', status: 503 } }] })
const fail = (route: Route) =>
  route.fulfill({
    status: 503,
    headers: { 'content-type': 'application/graphql-response+json', 'x-request-id': 'req-of-failure' },
    body: unavailable,
  })

describe.skipIf(noBrowser)(`the console and a server that fails${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  beforeAll(async () => {
    opened = await openSeededConsole()
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  it('a page that was not opened before says that the service does not answer, and comes once it does', async () => {
    // The router writes the error to the browser's console.
    const { page } = await visit(opened.browser, opened.url, { key: opened.admin })
    await page.goto('/search?scope=*')
    await page.locator('main[aria-busy="false"] h1').waitFor()
    await page.route('**/*', (route) => route.abort('connectionrefused'))
    await page.getByRole('link', { name: 'Evaluation' }).press('Enter')
    const alert = page.locator('main').getByRole('alert')
    await alert.getByText('The service does not answer').waitFor()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await alert.waitFor()
    await page.unroute('**/*')
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Evaluation' }).waitFor()
    await page.context().close()
  })

  it('a page that another version of the service no longer has says so, and comes with that version', async () => {
    const { page } = await visit(opened.browser, opened.url, { key: opened.admin })
    await page.goto('/search?scope=*')
    await page.locator('main[aria-busy="false"] h1').waitFor()
    const asset = '**/assets/evaluation-page-*'
    await page.route(asset, (route) => route.fulfill({ status: 404, body: '{}' }))
    await page.getByRole('link', { name: 'Evaluation' }).press('Enter')
    const alert = page.locator('main').getByRole('alert')
    await alert.getByText('the service may have a new version').waitFor()
    await page.unroute(asset)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Evaluation' }).waitFor()
    await page.context().close()
  })

  it.each(failing)(
    '%s: says that the service does not answer, an error names its request, and the page comes once it is tried again',
    async (path) => {
      const page = await opened.tab()
      const answer = { by: (route: Route) => route.abort('connectionrefused') }
      await page.route('**/graphql', (route) => answer.by(route))
      await page.goto(path)
      const alerts = page.locator('main').getByRole('alert')
      await alerts.getByText('The service does not answer').first().waitFor()
      /** Tries again whatever has failed: more of the page may fail, or come, meanwhile. */
      const tryAgain = () =>
        alerts
          .getByRole('button', { name: 'Try again' })
          .first()
          .click({ timeout: 1_000 })
          .catch(() => undefined)
      answer.by = fail
      await expect
        .poll(async () => {
          await tryAgain()
          return alerts.allInnerTexts()
        })
        .toContainEqual(expect.stringMatching(/down[\s\S]*Request id req-of-failure/))
      answer.by = (route) => route.continue()
      await expect
        .poll(async () => {
          await tryAgain()
          return alerts.count()
        })
        .toBe(0)
      await page.locator('main[aria-busy="false"]').waitFor()
      await page.context().close()
    },
  )

  it('a row of the log that is not listed: an error names its request, and the row comes once it is tried again', async () => {
    const search = { token: opened.admin, body: { q: 'payment' } }
    for (let row = 0; row < 101; row++) await opened.app.call('POST', '/v1/search', search)
    const page = await opened.tab()
    await page.route('**/graphql', (route) =>
      route.request().postDataJSON().variables.limit === 1 ? fail(route) : route.continue(),
    )
    await page.goto('/audit?row=1')
    const alert = page.locator('main').getByRole('alert')
    await alert.getByText('Request id req-of-failure').waitFor()
    await expect.poll(() => alert.innerText()).toContain('down')
    await page.getByRole('table', { name: 'Audit log' }).waitFor()
    await page.unroute('**/graphql')
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('region', { name: 'Row 1', exact: true }).waitFor()
    await expect.poll(() => alert.count()).toBe(0)
    await page.context().close()
  })

  /** Lets the answers come one at a time, each once the page has drawn the one before; true begins with the latest request. */
  const answerInTurn = async (page: Page, latestFirst: boolean) => {
    const held: Route[] = []
    let isIdle = false
    // A busy machine may ask for more only after a pause.
    await page.route('**/graphql', (route) => (isIdle ? route.continue() : void held.push(route)))
    return async () => {
      const idle = page.waitForLoadState('networkidle').then(() => {
        isIdle = true
      })
      while (!isIdle || held.length > 0) {
        const route = latestFirst ? held.pop() : held.shift()
        // A request may have been given up meanwhile.
        if (route) await route.fulfill({ response: await route.fetch() }).catch(() => undefined)
        await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
      }
      await idle
    }
  }

  const observeShifts = (page: Page) =>
    page.addInitScript(() => {
      const shifts: string[] = []
      Object.assign(globalThis, { shifts })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: { node?: Node }[] })[]) {
          const moved = entry.sources.map(({ node }) => (node instanceof Element ? node.outerHTML : '').slice(0, 120))
          shifts.push(`${entry.value.toFixed(4)} ${moved.join(' | ')}`)
        }
      }).observe({ type: 'layout-shift', buffered: true })
    })

  const openings = [
    { caller: 'admin', width: 1440, latestFirst: false },
    { caller: 'admin', width: 1440, latestFirst: true },
    { caller: 'admin', width: 360, latestFirst: true },
    { caller: 'readonly', width: 1440, latestFirst: true },
    { caller: 'readonly', width: 360, latestFirst: false },
  ]
  const more = ['/access/invitations', '/access/explain', '/audit?row=1', '/welcome', '/reset-password?token=x']
  // By day half of the pages have one of them in turn, so that all are used.
  const pages = sampled([...paths, ...more], 10).map((path, at) => ({
    path,
    openings: atNight ? openings : openings.slice(at % openings.length).slice(0, 1),
  }))
  it.each(pages)('$path: nothing moves, in whatever order the answers come', async ({ path, openings }) => {
    for (const { caller, width, latestFirst } of openings) {
      const page = await opened.tab({ width, key: opened.tokens[caller] ?? '' })
      await observeShifts(page)
      const answered = await answerInTurn(page, latestFirst)
      await page.goto(path)
      await answered()
      await page.locator('main[aria-busy="false"] h1').waitFor()
      const shifts = await page.evaluate<string[]>('shifts')
      const total = shifts.reduce((sum, shift) => sum + Number.parseFloat(shift), 0)
      expect(total, [caller, width, latestFirst, ...shifts].join('\n')).toBeLessThanOrEqual(0.05)
      await page.context().close()
    }
  })
})
