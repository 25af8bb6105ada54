import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, overflow } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'
import { taken } from '../support/documents/files.ts'
import { makePptx, makeXlsx } from '../support/documents/make-office.ts'
import { makePdf } from '../support/documents/make-pdf.ts'

const shape = (text: string, kind = 'body') =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`
const row = (number: number, cells: readonly string[]) =>
  `<row r="${number}">${cells.map((text, i) => `<c r="${'ABC'[i]}${number}" t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`
const rows = (cells: readonly (readonly string[])[]) => cells.map((one, i) => row(i + 1, one)).join('')

const files = {
  'reports/2019/berths.pdf': makePdf(
    ['The berths of Skagen', 'North berth was dredged.', 'South berth was dredged, and its quay wall.'].map((text) => ({
      lines: [{ x: 60, y: 300, text }],
    })),
  ),
  'berths.xlsx': makeXlsx({
    Berths: rows([
      ['Berth', 'Depth'],
      ['North', '7'],
      ['South', '9'],
    ]),
    Fees: rows([
      ['Year', 'Fee'],
      ['2024', '1850'],
    ]),
  }),
  'kickoff.pptx': makePptx([
    shape('Winter timetable', 'title') + shape('Ferries run hourly'),
    shape('Next steps', 'title') + shape('Survey the quay wall'),
  ]),
  'berth.eml': [
    'From: Ada Lindqvist <ada@skagen.example>',
    'To: Bo Ekman <bo@skagen.example>',
    'Date: Fri, 1 Mar 2024 10:00:00 +0100',
    'Subject: Berth 4 is closed',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'The ferry moves to berth 5.',
  ].join('\r\n'),
  'gate.ts': '/** Opens the gate. */\nexport function open(gate: Gate) {\n  return gate.open()\n}\n',
}

describe.skipIf(noBrowser)(`the viewer${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  /** One for all: the scripts are loaded once. */
  let tab: Page
  beforeAll(async () => {
    opened = await openSeededConsole()
    tab = await opened.tab()
    const more = { scope: 'harbor/general', aclGroups: ['backend'] }
    for (const [name, data] of Object.entries(files)) {
      expect((await taken(opened.app, opened.admin, name, data, more)).status, name).toBe('ready')
    }
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  const open = async (name: string) => {
    await tab.goto(`/view?scope=*&doc=${encodeURIComponent(name)}`)
    await tab.getByRole('heading', { level: 1, name: name.split('/').at(-1) ?? '' }).waitFor()
    return tab
  }
  const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)
  const marks = (page: Page) => page.getByRole('region', { name: 'Text' }).locator('mark')

  it('names the file, where it is, who may read it, and leads to its folder', async () => {
    const page = await open('reports/2019/berths.pdf')
    await expect.poll(() => page.title()).toContain('berths.pdf')
    const facts = page.getByRole('region', { name: 'Facts' })
    for (const fact of [/group backend/, /demo-admin/, /Version\s+\d+, not changed since/])
      await expect.poll(() => facts.innerText()).toMatch(fact)
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: '2019' }).click()
    await page.getByRole('table', { name: 'Documents' }).getByRole('link', { name: 'berths' }).first().waitFor()
    await expect.poll(() => [param(page, 'prefix'), param(page, 'scope')]).toEqual(['reports/2019/', 'harbor/general'])
  })

  it('turns pages and zooms by keys, and the URL gives both again', async () => {
    const page = await open('reports/2019/berths.pdf')
    const number = page.getByRole('textbox', { name: 'Page' })
    await number.waitFor()
    await page.getByText('of 3', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Next page' }).press('Enter')
    await expect.poll(() => number.inputValue()).toBe('2')
    await number.fill('3')
    await number.press('Enter')
    await expect.poll(() => param(page, 'page')).toBe('3')
    await expect.poll(() => page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Zoom in' }).press('Enter')
    await expect.poll(() => param(page, 'zoom')).toBe('125')
    await page.reload()
    const shown = page.getByRole('img', { name: 'Page 3' })
    await shown.waitFor()
    await expect.poll(() => number.inputValue()).toBe('3')
    const source = page.getByRole('region', { name: 'Source' })
    await expect
      .poll(async () => ((await shown.boundingBox())?.width ?? 0) / ((await source.boundingBox())?.width ?? 1))
      .toBeCloseTo(1.25, 1)
    await expect.poll(() => violations(page)).toEqual([])
  })

  it('finds words in the text and on the pages', async () => {
    const page = await open('reports/2019/berths.pdf')
    await page.getByRole('searchbox', { name: 'Find in the document' }).fill('BERTH was')
    const count = page.getByRole('search').getByRole('status')
    await expect.poll(() => count.innerText()).toBe('1 of 2')
    await page.keyboard.press('Enter')
    await expect.poll(() => count.innerText()).toBe('2 of 2')
    await expect.poll(() => marks(page).allInnerTexts()).toEqual(['berth was', 'berth was'])
    const found = page.getByRole('region', { name: 'Source' }).locator('[data-found]')
    await found.first().waitFor()
    // It lies on its line, of the third page: y 300 of 800 points, from below.
    const heightOnPage = async () => {
      const mark = await found.last().boundingBox()
      const canvas = await page.getByRole('img', { name: 'Page 3' }).boundingBox()
      return ((mark?.y ?? 0) - (canvas?.y ?? 0)) / (canvas?.height ?? 1)
    }
    await expect.poll(heightOnPage).toBeCloseTo(0.61, 1)
    // However large the page is, the place is visible.
    await page.getByRole('button', { name: 'Zoom in' }).press('Enter')
    await page.getByRole('button', { name: 'Zoom in' }).press('Enter')
    await expect.poll(() => isVisible(found.last())).toBe(true)
    await page.reload()
    await expect.poll(() => count.innerText()).toBe('2 of 2')
    await page.getByRole('searchbox').fill('no such words')
    await expect.poll(() => count.innerText()).toBe('Not found')
  })

  it('shows sheets as tables, with a choice of the sheet', async () => {
    const page = await open('berths.xlsx')
    const cells = (name: string) => page.getByRole('table', { name }).getByRole('row').nth(2).getByRole('cell')
    await page.getByRole('table', { name: 'Sheet Berths' }).waitFor()
    await expect.poll(() => cells('Sheet Berths').allInnerTexts()).toEqual(['2', 'North', '7'])
    await page.getByRole('button', { name: 'Fees' }).press('Enter')
    await page.getByRole('table', { name: 'Sheet Fees' }).waitFor()
    await expect.poll(() => cells('Sheet Fees').allInnerTexts()).toEqual(['2', '2024', '1850'])
    await page.getByRole('searchbox', { name: 'Find in the document' }).fill('south')
    await page.getByRole('table', { name: 'Sheet Berths' }).waitFor()
    await expect.poll(() => marks(page).allInnerTexts()).toEqual(['South'])
    await expect.poll(() => violations(page)).toEqual([])
  })

  it('lays out slides, mail and code', async () => {
    const slides = await open('kickoff.pptx')
    const list = slides.getByRole('list', { name: 'Slides' })
    await list.waitFor()
    await expect.poll(() => list.getByRole('heading').allInnerTexts()).toEqual(['Winter timetable', 'Next steps'])
    await expect.poll(() => list.getByRole('listitem').nth(1).innerText()).toContain('Survey the quay wall')
    await expect.poll(() => violations(slides)).toEqual([])

    const mail = await open('berth.eml')
    const message = mail.getByRole('article')
    await message.getByRole('heading', { name: 'Berth 4 is closed' }).waitFor()
    await expect
      .poll(() => message.getByRole('definition').allInnerTexts())
      .toEqual([
        'Ada Lindqvist <ada@skagen.example>',
        'Bo Ekman <bo@skagen.example>',
        expect.stringContaining('Mar 1, 2024'),
      ])
    await expect.poll(() => message.innerText()).toContain('The ferry moves to berth 5.')
    await expect.poll(() => violations(mail)).toEqual([])

    const code = await open('gate.ts')
    const text = code.getByRole('region', { name: 'Text' })
    await text.getByText('return gate.open()').waitFor()
    await expect.poll(() => text.locator('code').allInnerTexts()).toEqual(['1', '2', '3', '4'])
    await expect.poll(() => violations(code)).toEqual([])
  })

  it('fits a phone', async () => {
    const page = await opened.tab({ theme: 'dark', width: 360 })
    for (const name of Object.keys(files)) {
      await page.goto(`/view?scope=*&doc=${encodeURIComponent(name)}`)
      await page.getByRole('region', { name: 'Text' }).waitFor()
      await expect.poll(() => overflow(page), { message: name }).toBe(0)
    }
    await page.context().close()
  })
})

/** Whether an element lies inside of the part of its scroller that shows. */
const isVisible = (element: Locator) =>
  element.evaluate((one) => {
    const [own, room] = [one, one.closest('[tabindex="0"]') ?? one].map((each) => each.getBoundingClientRect())
    return own !== undefined && room !== undefined && own.top >= room.top && own.bottom <= room.bottom
  })
