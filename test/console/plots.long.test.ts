import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { superAdminToken } from '../support/boot.ts'
import { violations } from '../support/browser/axe.ts'
import { noBrowser, overflow } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

describe.skipIf(noBrowser)(`plots${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  beforeAll(async () => {
    opened = await openSeededConsole()
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  const graphql = async (query: string, variables: Record<string, unknown> = {}) => {
    const { body } = await opened.app.graphql(query, variables, { token: opened.admin, scope: '*' })
    expect(body.errors).toBeUndefined()
    return body.data
  }
  const isWhole = async (page: Page) => {
    await expect.poll(() => violations(page)).toEqual([])
    await page.setViewportSize({ width: 360, height: 900 })
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0)
  }

  it('Usage shows what is stored over time, by plane and in bytes, and saves it as CSV', async () => {
    const page = await opened.open('/usage')
    const last = async (title: string) => {
      const figure = page.getByRole('figure', { name: title })
      const names = (await figure.getByRole('columnheader').allInnerTexts()).slice(1)
      return Object.fromEntries(
        (await figure.getByRole('cell').allInnerTexts()).slice(-names.length).map((text, i) => [names[i], text]),
      )
    }
    for (const title of ['Units by plane', 'Stored sources']) {
      await page.getByRole('figure', { name: title }).getByText('Figures').click()
    }
    const query = `query($from: SafeInt!, $to: SafeInt!) { usageSeries(from: $from, to: $to, step: day) {
      points { units { text visual audio docVisual } sourceBytes } } }`
    const now = Date.now()
    const point = (await graphql(query, { from: now, to: now + 1 })).usageSeries.points[0]
    const { text, visual, audio, docVisual } = point.units
    expect(Math.min(text, visual, audio, docVisual)).toBeGreaterThan(0)
    await expect
      .poll(() => last('Units by plane'))
      .toEqual({
        ...{ Text: `${text}`, Picture: `${visual}`, Audio: `${audio}`, Page: `${docVisual}` },
      })
    await expect
      .poll(() => last('Stored sources'))
      .toEqual({ Sources: `${Math.round(point.sourceBytes / 100) / 10} kB` })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ])
    const lines = readFileSync(await download.path(), 'utf8').split('\n')
    expect(lines[0]).toMatch(/^at,searches,.*,textUnits,visualUnits,audioUnits,docVisualUnits,sourceBytes$/)
    expect(lines.at(-1)).toMatch(new RegExp(`,${text},${visual},${audio},${docVisual},${point.sourceBytes}$`))
    await isWhole(page)
    await page.context().close()
  })

  it('Usage of a namespace without anything says so', async () => {
    const key = await opened.app.principal({ id: 'nova', namespace: 'empty' })
    const page = await opened.open('/usage', { key })
    for (const title of ['Latency', 'Units by plane', 'Stored sources']) {
      await page.getByRole('figure', { name: title }).getByText('none').waitFor()
    }
    await isWhole(page)
    await page.context().close()
  })

  it('Evaluation shows each metric over the runs, and what each query lost from run to run', async () => {
    const written = await opened.app.call('POST', '/v1/ingest', {
      token: opened.admin,
      scope: 'harbor/general',
      body: { units: [{ external_id: 'lantern', text: 'The lantern of the old lighthouse.', acl_groups: ['*'] }] },
    })
    const unitId: string = written.body.units[0].unit_id
    const queries = [
      { q: 'lantern lighthouse', scope: '*', expectedUnitIds: [unitId] },
      { q: 'payment gateway', scope: '*', expectedExternalIds: ['seed-ops-gateway-contract'] },
    ]
    await graphql(
      'mutation ($queries: [GoldenQueryInput!]!) { createGoldenQueries(queries: $queries) { __typename } }',
      {
        queries,
      },
    )
    const page = await opened.open('/evaluation?scope=*')
    const runs = page.getByRole('table', { name: 'Runs' })
    const run = async (count: number) => {
      await page.getByRole('button', { name: 'Run all golden queries' }).click()
      await expect.poll(() => runs.getByText('finished').count()).toBe(count)
      await page.getByRole('button', { name: 'Run all golden queries' }).waitFor()
    }
    await run(1)
    await graphql('mutation ($input: DeleteUnitsInput!) { deleteUnits(input: $input) { __typename } }', {
      input: { ids: [unitId] },
    })
    await run(2)
    const changes = page.getByRole('table', { name: 'Change by query' }).getByRole('row')
    await expect.poll(() => changes.count()).toBe(3)
    await expect.poll(() => changes.nth(1).innerText()).toMatch(/lantern lighthouse\s+1\.000\s+0\.000\s+▼ −1\.000/)
    await expect.poll(() => changes.nth(2).innerText()).toMatch(/payment gateway[\s\S]+same/)
    await page.reload()
    await expect.poll(() => changes.count()).toBe(3)

    const { evaluationRuns } = await graphql(
      'query { evaluationRuns { runs { report { evals { metric mean low high } } } } }',
    )
    const wanted = evaluationRuns.runs
      .toReversed()
      .map(({ report }: { report: { evals: { metric: string; mean: number; low: number; high: number }[] } }) => {
        const { mean = 0, low = 0, high = 0 } = report.evals.find(({ metric }) => metric === 'ndcg@10') ?? {}
        return `${mean.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`
      })
    const figure = page.getByRole('figure', { name: 'ndcg@10 by run' })
    await figure.getByText('Figures').press('Enter')
    await expect.poll(() => figure.getByRole('cell').allInnerTexts()).toEqual(wanted)
    await isWhole(page)
    await page.context().close()
  })

  it('Health shows lag and what waits, by plane', async () => {
    const page = await opened.open('/health')
    const figure = page.getByRole('figure', { name: 'Changes that wait for an index' })
    await figure.getByText('Figures').click()
    await expect
      .poll(() => figure.getByRole('columnheader').allInnerTexts())
      .toEqual(['Time', 'Text', 'Picture', 'Audio', 'Page'])
    // The page asks again by itself.
    await expect.poll(() => figure.getByRole('rowheader').count()).toBeGreaterThan(1)
    await page.getByRole('figure', { name: 'Lag of the indexes in seconds' }).waitFor()
    await isWhole(page)
    await page.context().close()
  })

  it('Health shows memory and queues to the operator of the service alone', async () => {
    const asked = (token: string) => opened.app.graphql('{ health { load { memoryBytes indexing } } }', {}, { token })
    expect((await asked(opened.admin)).body.data.health).toEqual({ load: null })
    expect((await asked(superAdminToken)).body.data.health.load.memoryBytes).toBeGreaterThan(2 ** 24)
    const page = await opened.open('/health', { key: superAdminToken })
    const memory = page.getByRole('figure', { name: 'Memory of the service in MiB' })
    await memory.getByText('Figures').click()
    const megabytes = async () => Number((await memory.getByRole('cell').first().innerText()).replaceAll(',', ''))
    await expect.poll(megabytes).toBeGreaterThan(16)
    await page.getByRole('figure', { name: 'Queues of the service' }).waitFor()
    await isWhole(page)
    await page.context().close()
  })

  it('Audit shows events by day and action, as the service counts them', async () => {
    const counted = async (action?: string, ownReads?: boolean): Promise<number> =>
      (
        await graphql('query ($filter: AuditFilterInput) { audit(filter: $filter) { count } }', {
          filter: { action, ownReads },
        })
      ).audit.count
    await opened.app.call('POST', '/v1/search', { token: opened.admin, body: { q: 'payment' } })
    await expect.poll(() => counted('search.run')).toBeGreaterThan(0)
    const page = await opened.open('/audit')
    const figure = page.getByRole('figure', { name: 'Events by day' })
    await figure.getByText('Figures').click()
    const sums = async () => {
      const names = (await figure.getByRole('columnheader').allInnerTexts()).slice(1)
      const cells = (await figure.getByRole('cell').allInnerTexts()).map((text) => Number(text.replaceAll(',', '')))
      return Object.fromEntries(
        names.map((name, i) => [name, cells.filter((_, at) => at % names.length === i).reduce((a, b) => a + b, 0)]),
      )
    }
    const whole = async () => Object.values(await sums()).reduce((a, b) => a + b, 0)
    await expect.poll(whole).toBe(await counted(undefined, false))
    await expect.poll(sums).toMatchObject({ searched: await counted('search.run') })
    await figure.locator('figcaption').getByTitle('search.run').getByText('searched').waitFor()
    await page.goto('/audit?action=evaluation.run')
    await figure.getByText('Figures').click()
    await expect.poll(() => sums()).toEqual({ 'ran an evaluation': await counted('evaluation.run') })
    await isWhole(page)
    await page.context().close()
  })
})
