import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, overflow, type Visit } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

const answered = 'What is the monthly fee of the payment gateway?'
const unanswered = 'Who painted the ceiling of the opera in Vienna?'

describe.skipIf(noBrowser)(`how an answer came about${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  const ask = async (q: string, options: Visit = {}): Promise<Page> => {
    const page = await opened.tab(options)
    await page.goto(`/ask?scope=*&q=${encodeURIComponent(q)}`)
    await page.getByRole('table', { name: 'Steps' }).waitFor()
    return page
  }
  const rest = async (q: string) =>
    (await opened.app.call('POST', '/v1/answer', { token: opened.admin, scope: '*', body: { q, answer: true } })).body
  beforeAll(async () => {
    opened = await openSeededConsole()
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  it('shows confidence and each search with its hits, as the service has them', async () => {
    const page = await ask(answered)
    const { answer, trace } = await rest(answered)
    const confidence = answer.confidence.toFixed(2).replace(/^0/, '')
    await page.getByText(`Confidence ${confidence}`, { exact: true }).waitFor()
    await expect.poll(() => stepsOf(page)).toEqual(wanted(trace))
    await page.context().close()
  })

  it('an abstention lists what was looked at, and leads on', async () => {
    const page = await ask(unanswered, { width: 360, theme: 'dark' })
    const { hits, trace } = await rest(unanswered)
    expect(trace.answer.steps).toHaveLength(1)
    await page.getByText(`Looked at ${hits.length} passages in 1 search.`).waitFor()
    const links = page.getByRole('list', { name: 'Looked at' }).getByRole('link')
    await expect.poll(() => links.allInnerTexts()).toEqual(hits.map((hit: { external_id: string }) => hit.external_id))
    await expect.poll(() => stepsOf(page)).toEqual(wanted(trace))
    await expect.poll(() => violations(page)).toEqual([])
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0)
    await page.getByRole('link', { name: 'search for it' }).click()
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(unanswered)
    await page.context().close()
  })

  it('a source opens at its quote, also within the text of a file', async () => {
    const page = await ask(answered)
    const [citation] = (await rest(answered)).answer.citations
    const sentence = page.getByRole('list', { name: 'Sentences' }).getByRole('listitem').first()
    await sentence.getByRole('link', { name: 'Source 1' }).click()
    const marks = page.getByRole('region', { name: 'Text' }).locator('mark')
    await marks.first().waitFor()
    await expect.poll(() => marks.allTextContents()).toEqual([citation.quote])
    await page.goBack()
    const links = page.getByRole('list', { name: 'Sources' }).getByRole('link')
    await expect.poll(() => links.first().getAttribute('href')).toContain(`quote=${citation.start}-${citation.end}`)

    const { body } = await opened.app.call('POST', '/v1/search', {
      token: opened.admin,
      scope: '*',
      body: { q: 'winter timetable', filters: { doc_id: ['minutes-2025-10-09'] } },
    })
    const [minutes] = body.hits
    const start = minutes.text.indexOf('the winter timetable')
    await page.goto(`/view?scope=*&unit=${minutes.unit_id}&quote=${start}-${start + 20}`)
    await marks.first().waitFor()
    await expect.poll(() => marks.allTextContents()).toEqual(['the winter timetable'])
    await page.goto(`/view?scope=*&unit=${minutes.unit_id}&quote=99999-5`)
    await marks.first().waitFor()
    await expect.poll(async () => (await marks.allTextContents()).join('')).toContain('the winter timetable. It runs')
    await page.context().close()
  })

  it('the copied command asks the same, and holds no key', async () => {
    const page = await ask(answered)
    await page.getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: 'curl' }).click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(copied).toContain('/v1/answer')
    await expect.poll(() => copied()).not.toContain(opened.admin)
    const { stdout } = await promisify(execFile)('bash', ['-c', await copied()], {
      env: { ...process.env, TOKEN: opened.admin },
    })
    expect(JSON.parse(stdout).answer.text).toBe((await rest(answered)).answer.text)
    await page.context().close()
  })
})

const stepsOf = async (page: Page) => {
  const rows = await page.getByRole('table', { name: 'Steps' }).getByRole('row').all()
  return Promise.all(rows.slice(1).map(async (row) => (await row.locator('th, td').allInnerTexts()).slice(0, 3)))
}

const wanted = ({ answer }: { answer: { steps: { query: string; hits: number; kept: number }[] } }) =>
  answer.steps.map(({ query, hits, kept }) => [query, `${hits}`, `${kept}`])
