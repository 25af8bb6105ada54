import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noBrowser } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

const question = 'What is the monthly fee of the payment gateway?'

describe.skipIf(noBrowser)(`facets and answers in the console${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  let admin: string
  let page: Page
  beforeAll(async () => {
    opened = await openSeededConsole()
    admin = opened.admin
    page = await opened.tab()
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  it('counts what can be chosen, and searches by what is chosen', async () => {
    const query = `query ($input: FacetsInput!) { facets(input: $input) { facets { field values { value count } } } }`
    const input = { fields: ['plane', 'modality', 'scope', 'mime'], limit: 100 }
    const { body } = await opened.app.graphql(query, { input }, { token: admin, scope: '*' })
    const counted: Record<string, string[]> = Object.fromEntries(
      body.data.facets.facets.map(
        ({ field, values }: { field: string; values: { value: string; count: number }[] }) => [
          field,
          values.slice(0, 20).map(({ value, count }) => `${value} ${count}`),
        ],
      ),
    )
    await page.goto('/search?q=payment&top=50&scope=*')
    for (const [label, field] of [
      ['Planes', 'plane'],
      ['Modality', 'modality'],
      ['Scopes', 'scope'],
      ['Types', 'mime'],
    ] as const) {
      const group = page.getByRole('group', { name: label, exact: true })
      for (const name of counted[field] ?? []) await group.getByRole('checkbox', { name, exact: true }).waitFor()
      await expect.poll(() => group.getByRole('checkbox').count()).toBe(counted[field]?.length)
    }
    // People read words, of which each has its wire word as its name and its tooltip.
    const planes = page.getByRole('group', { name: 'Planes', exact: true })
    await expect.poll(() => planes.getByTitle('doc_visual').innerText()).toMatch(/^Page/)
    await expect.poll(() => page.getByRole('combobox', { name: 'Scope' }).inputValue()).toBe('*')
    await page.getByTitle('*', { exact: true }).getByText('All scopes').waitFor()
    const days = page.getByRole('group', { name: 'Dates' }).getByRole('checkbox', { name: /^\d{4}-\d\d-\d\d \d+$/ })
    const keys = page.getByRole('group', { name: 'Metadata' }).getByRole('checkbox', { name: /^[^:]+:.+ \d+$/ })
    for (const boxes of [days, keys]) await expect.poll(() => boxes.count()).toBeGreaterThan(0)

    const modality = page.getByRole('group', { name: 'Modality' })
    const name = counted.modality?.at(-1) ?? ''
    await modality.getByRole('checkbox', { name, exact: true }).check()
    await expect.poll(() => new URL(page.url()).searchParams.get('modality')).toBe(name.split(' ')[0])
    await page.locator('main[aria-busy="false"]').waitFor()
    // What is chosen does not narrow its own group.
    await expect.poll(() => modality.getByRole('checkbox').count()).toBe(counted.modality?.length)
    const shown = page.getByRole('list', { name: 'Results' }).getByRole('listitem')
    await expect.poll(() => shown.count()).toBeLessThanOrEqual(Number(name.split(' ')[1]))
  })

  it('shows the sentences of the stream, and asks at once where that breaks', async () => {
    const requests: (string | undefined)[] = []
    page.on('request', (request) => {
      if (request.postData()?.includes(question)) requests.push(request.headers().accept)
    })
    const streams = () => requests.filter((accept) => accept === 'text/event-stream').length
    const ask = async () => {
      await page.goto('/ask?scope=*')
      await page.locator('main[aria-busy="false"]').waitFor()
      await page.getByRole('textbox', { name: 'Question' }).fill(question)
      requests.length = 0
      await page.getByRole('button', { name: 'Ask' }).click()
      await page.getByRole('table', { name: 'Steps' }).waitFor()
    }
    const sentences = () => page.getByRole('list', { name: 'Sentences' }).getByRole('listitem').allInnerTexts()
    await ask()
    await expect.poll(sentences).not.toEqual([])
    const streamed = await sentences()
    expect(streams()).toBe(1)
    // One request: the answer came by the stream alone.
    expect(requests).toHaveLength(1)
    await page.route('**/graphql', (route) =>
      route.request().headers().accept === 'text/event-stream'
        ? route.fulfill({ contentType: 'text/event-stream', body: 'event: next\ndata: {"da' })
        : route.continue(),
    )
    await ask()
    await expect.poll(sentences).toEqual(streamed)
    expect(requests.length).toBeGreaterThan(1)
  })
})
