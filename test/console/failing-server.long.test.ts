import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noBrowser } from '../support/browser/browser.ts'
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
const unavailable = JSON.stringify({ errors: [{ message: 'down', extensions: { code: 'unavailable', status: 503 } }] })

describe.skipIf(noBrowser)(`the console and a server that fails${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  beforeAll(async () => {
    opened = await openSeededConsole()
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  it.each(paths)('%s: an error names its request, and the page comes once it is tried again', async (path) => {
    const page = await opened.tab()
    await page.route('**/graphql', (route) =>
      route.fulfill({
        status: 503,
        headers: { 'content-type': 'application/graphql-response+json', 'x-request-id': 'req-of-failure' },
        body: unavailable,
      }),
    )
    await page.goto(path)
    const alerts = page.locator('main').getByRole('alert')
    await alerts.getByText('Request id req-of-failure').first().waitFor()
    expect(await alerts.first().innerText()).toContain('down')
    await page.unroute('**/graphql')
    while ((await alerts.count()) > 0) {
      const left = await alerts.count()
      await alerts.first().getByRole('button', { name: 'Try again' }).click()
      await expect.poll(() => alerts.count()).toBeLessThan(left)
    }
    await page.locator('main[aria-busy="false"]').waitFor()
    expect(await alerts.count()).toBe(0)
    await page.context().close()
  })

  it.each(paths)('%s: says that the service does not answer', async (path) => {
    const page = await opened.tab()
    await page.route('**/graphql', (route) => route.abort('connectionrefused'))
    await page.goto(path)
    const alert = page.locator('main').getByRole('alert').first()
    await alert.getByText('The service does not answer').waitFor()
    await alert.getByRole('button', { name: 'Try again' }).waitFor()
    await page.context().close()
  })

  it.each(paths)('%s: nothing moves while a slow server answers', async (path) => {
    const page = await opened.tab()
    await page.addInitScript(() => {
      const shifts: string[] = []
      Object.assign(globalThis, { shifts })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: { node?: Node }[] })[]) {
          const moved = entry.sources.map(({ node }) => (node instanceof Element ? node.outerHTML : '').slice(0, 120))
          shifts.push(`${entry.value.toFixed(4)} ${moved.join(' | ')}`)
        }
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await page.route('**/graphql', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 400))
      await route.continue().catch(() => {})
    })
    await page.goto(path)
    await page.locator('main[aria-busy="false"] h1').waitFor()
    await page.waitForTimeout(1_500)
    const shifts = await page.evaluate<string[]>('shifts')
    const total = shifts.reduce((sum, shift) => sum + Number.parseFloat(shift), 0)
    expect(total, shifts.join('\n')).toBeLessThanOrEqual(0.05)
    await page.context().close()
  })
})
