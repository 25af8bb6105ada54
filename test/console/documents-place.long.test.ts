import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noBrowser } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

const documents = 450

describe.skipIf(noBrowser)(`the place in a list${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  let page: Page
  beforeAll(async () => {
    opened = await openSeededConsole()
    for (let from = 0; from < documents; from += 150) {
      const units = Array.from({ length: 150 }, (_, i) => ({
        text: `Logbook entry ${from + i}`,
        doc_id: `logbook-${String(from + i).padStart(3, '0')}`,
        scope: 'harbor/general',
        acl_groups: ['*'],
      }))
      const { status, body } = await opened.app.call('POST', '/v1/ingest', { token: opened.admin, body: { units } })
      expect(status, JSON.stringify(body)).toBe(200)
    }
    page = await opened.tab()
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  const cursor = () => new URL(page.url()).searchParams.get('cursor')
  const table = (name: string) => page.getByRole('table', { name })
  const scrollTo = (name: string, row: number) =>
    table(name).evaluate((element, top) => element.parentElement?.scrollTo({ top, behavior: 'instant' }), row * 36)
  /** The text of the first row below the head of the table. */
  const topRow = (name: string) =>
    table(name).evaluate((element) => {
      const edge = (element.parentElement as HTMLElement).getBoundingClientRect().top + 37
      const rows = [...element.querySelectorAll<HTMLElement>('[data-item]')]
      return rows.find((row) => row.getBoundingClientRect().bottom > edge + 10)?.querySelector('a')?.textContent ?? ''
    })

  it('stands in the URL, and a reload, Back and a pasted URL give the same rows', async () => {
    await page.goto('/documents?prefix=logbook&scope=*')
    await expect.poll(() => topRow('Documents')).not.toBe('')
    await expect.poll(() => table('Documents').getAttribute('aria-rowcount')).toBe(`${documents + 1}`)
    await expect.poll(cursor).toBeNull()
    const first = await topRow('Documents')
    await scrollTo('Documents', 320)
    await expect.poll(cursor).toBe('320')
    await expect.poll(() => topRow('Documents')).not.toBe('')
    const there = await topRow('Documents')
    expect(there).not.toBe(first)

    await page.reload()
    await expect.poll(() => topRow('Documents')).toBe(there)
    const url = page.url()
    await table('Documents').getByRole('link', { name: there, exact: true }).click()
    await page.getByRole('list', { name: 'Units' }).waitFor()
    await expect.poll(cursor).toBeNull()
    await page.goBack()
    await expect.poll(() => topRow('Documents')).toBe(there)
    await expect.poll(() => page.url()).toBe(url)

    // Upwards, over pages that were never loaded.
    await scrollTo('Documents', 0)
    await expect.poll(() => topRow('Documents')).toBe(first)
    await expect.poll(cursor).toBeNull()
  })

  it('gives the next item the focus, also where it was scrolled out of the page', async () => {
    await page.goto('/documents?prefix=logbook&scope=*')
    await expect.poll(() => topRow('Documents')).not.toBe('')
    const focused = () => page.evaluate<string>('document.activeElement.closest("[data-item]")?.dataset.item')
    await page.keyboard.press('j')
    await expect.poll(focused).toBe('0')
    await scrollTo('Documents', 60)
    await table('Documents').locator('[data-item="1"]').waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await expect.poll(focused).toBe('1')
  })

  it('begins again with another filter, and shows rows where the list is shorter by now', async () => {
    await page.goto('/documents?prefix=logbook&scope=*&cursor=320')
    await expect.poll(() => topRow('Documents')).not.toBe('')
    await page.getByRole('textbox', { name: 'Filter' }).fill('logbook-0')
    await expect.poll(() => table('Documents').getAttribute('aria-rowcount')).toBe('101')
    await expect.poll(cursor).toBeNull()
    for (const view of ['documents', 'units']) {
      await page.goto(`/documents?view=${view}&scope=*&cursor=99999`)
      await expect.poll(() => topRow(view === 'units' ? 'Units' : 'Documents')).not.toBe('')
      await expect.poll(() => Number(cursor())).toBeLessThan(550)
    }
  })

  it('holds for Units, whose number is not known', async () => {
    await page.goto('/documents?view=units&scope=*&cursor=340')
    await expect.poll(() => topRow('Units')).not.toBe('')
    const there = await topRow('Units')
    await scrollTo('Units', 250)
    await expect.poll(cursor).toBe('250')
    await expect.poll(() => topRow('Units')).not.toBe(there)
    await scrollTo('Units', 340)
    await expect.poll(() => topRow('Units')).toBe(there)
  })
})
