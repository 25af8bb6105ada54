import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, type Visit } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

describe.skipIf(noBrowser)(`what hits look like${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  const search = async (path: string, options: Visit = {}) => {
    const page = await opened.tab(options)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url().slice(opened.url.length)))
    await page.addInitScript(countShifts)
    await page.goto(path)
    await page.getByRole('list', { name: 'Results' }).getByRole('listitem').first().waitFor()
    return { page, asked }
  }
  beforeAll(async () => {
    opened = await openSeededConsole()
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  it('a page is drawn small with its box, and nothing moves for it', async () => {
    const { page, asked } = await search('/search?q=winter+timetable&doc=timetable-winter-2025&scope=*')
    const drawn = frameOf(page, 'seed-timetable-leaflet-ocr').locator('canvas')
    await drawn.waitFor()
    await expect.poll(() => inkOf(page, 'seed-timetable-leaflet-ocr')).toBeGreaterThan(20)
    const boxOnPage = async () => {
      const [canvas, box] = await Promise.all([
        drawn.boundingBox(),
        boxIn(page, 'seed-timetable-leaflet-ocr').boundingBox(),
      ])
      return {
        x: ((box?.x ?? 0) - (canvas?.x ?? 0)) / (canvas?.width ?? 1),
        height: (box?.height ?? 0) / (canvas?.height ?? 1),
      }
    }
    // The Unit's locator: x .74, y .18, w .2, h .66.
    await expect.poll(boxOnPage).toEqual({ x: expect.closeTo(0.74, 1), height: expect.closeTo(0.66, 1) })
    // Two Units of one PDF: one link, that GraphQL handed out.
    await frameOf(page, 'seed-timetable-leaflet-page').locator('canvas').waitFor()
    const links = asked.filter((path) => path.startsWith('/sources/'))
    expect(new Set(links).size).toBe(1)
    await expect.poll(() => page.evaluate('shifted')).toBeLessThanOrEqual(0.05)
    await expect.poll(() => violations(page)).toEqual([])
    await page.context().close()
  })

  it('a picture is shown with the region of its hit', async () => {
    const { page } = await search('/search?q=thermal+hotspot&scope=*', { theme: 'dark', width: 360 })
    const picture = frameOf(page, 'seed-pier4-hotspot-detection').locator('img')
    await picture.waitFor()
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
    await expect.poll(() => boxIn(page, 'seed-pier4-hotspot-detection').count()).toBe(1)
    await expect.poll(() => boxIn(page, 'seed-pier4-thermal-image').count()).toBe(0)
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    await page.context().close()
  })

  it('a hit without a source shows its plane in outline, and no link is made', async () => {
    const { page, asked } = await search('/search?q=antifouling&doc=invoice-bc-2026-0417&scope=*')
    const frame = frameOf(page, 'seed-invoice-hull-paint-handwriting')
    await frame.getByText('p. 1', { exact: true }).waitFor()
    await boxIn(page, 'seed-invoice-hull-paint-handwriting').waitFor()
    await page.waitForTimeout(1_500)
    await expect.poll(() => page.locator('[data-thumbnail] :is(img, canvas)').count()).toBe(0)
    expect(asked.filter((path) => path.startsWith('/sources/'))).toEqual([])
    await page.context().close()
  })

  it('sound has its time code, and lines of a log their numbers', async () => {
    const { page } = await search('/search?q=I+approve+the+winter+timetable&planes=audio&scope=*')
    await frameOf(page, 'seed-timetable-approval-utterance').getByText('48:04').waitFor()
    await page.goto('/search?q=retry+payment+timed+out&doc=logs-ticketing-worker&scope=*')
    await page.getByRole('list', { name: 'Results' }).getByText('1204', { exact: true }).waitFor()
    await page.context().close()
  })

  it('hits that are typed past leave no link in the audit log', async () => {
    const { page } = await search('/search?q=invoice+total+euros&planes=doc_visual&planes=visual&top=5&scope=*')
    const box = page.getByRole('searchbox', { name: 'Search' })
    const pictures = page.locator('[data-thumbnail] :is(img, canvas)')
    const before = await linksInLog()
    // On a slow machine a hit would be visible for long before the next words are typed.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 10_000)
    const found = () => frameOf(page, 'seed-pier4-thermal-image').count()
    const stepUntil = (frames: number) =>
      expect
        .poll(async () => {
          await page.clock.runFor(10)
          return found()
        })
        .toBe(frames)
    await box.fill('thermal hotspot')
    await box.press('Enter')
    await stepUntil(1)
    await page.clock.runFor(300)
    // What was found a moment ago is there at once.
    await box.fill('invoice total euros')
    await box.press('Enter')
    await stepUntil(0)
    await page.clock.runFor(1_200)
    expect((await linksInLog()) - before).toBe(0)
    await page.clock.resume()
    await box.fill('thermal hotspot')
    await pictures.first().waitFor()
    await expect.poll(async () => (await linksInLog()) - before).toBe(1)
    await page.context().close()
  })

  /** Of the picture that is typed past. */
  const linksInLog = async () => {
    const { token, scope } = { token: opened.admin, scope: '*' }
    const body = { q: 'thermal hotspot', filters: { external_id: ['seed-pier4-thermal-image'] } }
    const [{ source_uri }] = (await opened.app.call('POST', '/v1/search', { token, scope, body })).body.hits
    const { rows } = (await opened.app.call('GET', '/v1/audit?limit=100', { token })).body
    type Row = { action: string; detail: { source_uri?: string } }
    return rows.filter(({ action, detail }: Row) => action === 'source.link' && detail.source_uri === source_uri).length
  }
})

const countShifts = `
  globalThis.shifted = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.shifted += entry.value
  }).observe({ type: 'layout-shift', buffered: true })`

const frameOf = (page: Page, name: string) =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name, exact: true }) })
    .locator('[data-thumbnail]')

const boxIn = (page: Page, name: string) => frameOf(page, name).locator('.thumbnail-box:visible')

/** How many pixels of the drawn page are not white. */
const inkOf = (page: Page, name: string) =>
  frameOf(page, name)
    .locator('canvas')
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] }
      return [...data].filter((value, index) => index % 4 === 0 && value < 128).length
    })
