import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, overflow } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'
import { taken } from '../support/documents/files.ts'
import { makePdf } from '../support/documents/make-pdf.ts'

const first = 'Who is the harbour master of Skagen?'
const second = 'When did she start?'
const facts = ['Ada Lindqvist is the harbour master of Skagen.', 'Ada Lindqvist started in March 2019.']

describe.skipIf(noBrowser)(`a conversation${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  let page: Page
  beforeAll(async () => {
    opened = await openSeededConsole()
    const lines = facts.map((text, i) => ({ x: 60, y: 600 - 200 * i, text }))
    const pdf = makePdf([{ lines: [{ x: 60, y: 700, text: 'A cover without a word of it.' }] }, { lines }])
    const more = { scope: 'harbor/general', aclGroups: ['*'] }
    expect((await taken(opened.app, opened.admin, 'masters.pdf', pdf, more)).status).toBe('ready')
    page = await opened.open('/ask?scope=*')
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  const ask = async (question: string) => {
    await page.getByRole('textbox', { name: 'Question' }).fill(question)
    await page.keyboard.press('Enter')
    await turn(question).getByRole('list', { name: 'Sentences' }).waitFor()
  }
  const turn = (question: string) => page.getByRole('article', { name: question })
  const answers = () => page.getByRole('list', { name: 'Sentences' }).allInnerTexts()
  const beside = () => page.getByRole('complementary', { name: 'Source beside the answer' })

  it('keeps its context, and its questions in the list and the URL', async () => {
    await ask(first)
    await ask(second)
    await expect.poll(() => turn(second).getByRole('list', { name: 'Sentences' }).innerText()).toContain('March 2019')
    // What was searched names whom "she" stands for.
    await turn(second).getByRole('table', { name: 'Steps' }).getByText('When did Ada Lindqvist start?').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.getAll('q')).toEqual([first, second])
    await expect.poll(answers).toHaveLength(2)
    const both = await answers()
    await page.goBack()
    await expect.poll(answers).toEqual(both.slice(0, 1))
    await page.goForward()
    await expect.poll(answers).toEqual(both)
    await page.reload()
    await expect.poll(answers).toEqual(both)
  })

  it('a marker opens its page beside the answer at the quote, by keys alone', async () => {
    const marker = turn(second).getByRole('link', { name: 'Source 1' }).first()
    await marker.focus()
    await page.keyboard.press('Enter')
    await beside().getByRole('img', { name: 'Page 2' }).waitFor()
    await expect.poll(() => beside().locator('mark').first().innerText()).toContain('March 2019')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe('Source beside the answer')
    await expect.poll(() => violations(page)).toEqual([])
    await page.reload()
    await beside().getByRole('img', { name: 'Page 2' }).waitFor()
    await turn(second).getByRole('link', { name: 'Source 1' }).first().press('Enter')
    await page.keyboard.press('Escape')
    await beside().waitFor({ state: 'detached' })
    await expect.poll(() => turn(second).getByRole('list', { name: 'Sentences' }).count()).toBe(1)
  })

  it('is copied with its quotes and links to their places', async () => {
    await turn(first).getByRole('button', { name: 'Copy with citations' }).click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(copied).toMatch(/^Who is the harbour master of Skagen\?\n\n/)
    const [link = ''] = /http\S+/.exec(await copied()) ?? []
    const other = await opened.open(link)
    await expect.poll(() => other.locator('mark').first().innerText()).toBe(facts[0])
    await other.context().close()
  })

  it('thumbs become golden queries, of the question as it was searched', async () => {
    await turn(second).getByRole('button', { name: 'Good answer' }).click()
    await page.getByRole('status', { name: 'Notifications' }).getByText('Kept as golden query').waitFor()
    await turn(first).getByRole('button', { name: 'Bad answer' }).click()
    await page.keyboard.type('Bo Ekman')
    await page.keyboard.press('Enter')
    const query = `query { goldenQueries { queries { q expectedAnswers expectedUnitIds } } }`
    const kept = async () => {
      const { body } = await opened.app.graphql(query, {}, { token: opened.admin })
      return body.data.goldenQueries.queries.map(
        ({
          q,
          expectedAnswers,
          expectedUnitIds,
        }: {
          q: string
          expectedAnswers: string[]
          expectedUnitIds: string[]
        }) => [q, expectedAnswers.join(' '), expectedUnitIds.length],
      )
    }
    await expect
      .poll(async () => (await kept()).toSorted())
      .toEqual([
        ['When did Ada Lindqvist start?', facts[1], 1],
        [first, 'Bo Ekman', 0],
      ])
    // A caller who may not write them is not asked to.
    const reader = await opened.open('/ask?scope=*&q=What+is+the+error+budget', { key: opened.tokens.readonly ?? '' })
    await reader.getByRole('table', { name: 'Steps' }).waitFor()
    await expect.poll(() => reader.getByRole('button', { name: /Good|Bad/ }).count()).toBe(0)
    await reader.context().close()
  })

  it('fits a phone with the source open', async () => {
    const phone = await opened.open(`/ask?scope=*&q=${encodeURIComponent(first)}`, { theme: 'dark', width: 360 })
    await phone.getByRole('link', { name: 'Source 1' }).first().click()
    await phone.getByRole('complementary').locator('mark').first().waitFor()
    await expect.poll(() => violations(phone)).toEqual([])
    await expect.poll(() => overflow(phone)).toBeLessThanOrEqual(0)
    await phone.context().close()
  })
})
