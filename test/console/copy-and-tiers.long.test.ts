import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '../support/amounts.ts'
import { noBrowser } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

/** What pages show, and the fields of the request that they copy; by day some, as all copy by the same code. */
const requests = [
  ['/documents?scope=*&prefix=timetable', 'docs'],
  ['/documents?scope=*&view=units', 'units'],
  ['/audit?action=seed.run', 'audit'],
  ['/access/explain?principal=demo-readonly&target=harbor/backend', 'explainAccess'],
  ['/evaluation', 'evaluationRuns'],
  ['/usage', 'catalogStats billingSubscription billingPlans'],
  ['/health', 'health catalogStats compaction'],
  ['/settings', 'namespace scopes'],
  ['/access/members', 'principals grants'],
  ['/access/principals', 'principals'],
  ['/access/grants', 'grants'],
  ['/access/groups', 'groups'],
  ['/access/invitations', 'invitations'],
  ['/access/keys', 'apiKeys'],
  ['/view?doc=timetable-winter-2025&scope=*', 'units'],
  ['/view?unit=UNIT&scope=*', 'unit'],
] as const

describe.skipIf(noBrowser)(`copied requests and tiers${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  let admin: string
  const openAsFree = (path: string, width = 1440) => opened.open(path, { key: opened.tokens.free ?? '', width })
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

  it.each(sampled(requests, 7))('%s is copied as a command that answers, without the key', async (path, fields) => {
    await page.goto(path.replace('UNIT', await unitOfItsOwn()))
    await page.locator('main[aria-busy="false"] h1').waitFor()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: 'GraphQL' }).click()
    await expect.poll(copied).toContain('# variables')
    await expect.poll(() => copied()).not.toContain(admin)
    await page.locator('h1').click()
    await page.keyboard.press('y')
    await expect.poll(copied).toContain('$TOKEN')
    await expect.poll(() => copied()).not.toContain(admin)
    const env = { ...process.env, TOKEN: admin }
    const { stdout } = await promisify(execFile)('bash', ['-c', await copied()], { env })
    const { data, errors } = JSON.parse(stdout)
    expect(errors).toBeUndefined()
    expect(data).toEqual(Object.fromEntries(fields.split(' ').map((field) => [field, expect.any(Object)])))
  })

  /** A Unit without a document. */
  const unitOfItsOwn = async () => {
    const units = [{ external_id: 'alone', text: 'A note that belongs to no document', acl_groups: ['*'] }]
    const where = { token: admin, scope: 'harbor/general' }
    const { body } = await opened.app.call('POST', '/v1/ingest', { ...where, body: { units } })
    return body.units[0].unit_id
  }

  it.each(['/ask?q=hello', '/audit'])(
    '%s says on Free what includes it, with the request id and the plans',
    async (path) => {
      const page = await openAsFree(path, 360)
      const notice = page.getByRole('alert')
      await notice.getByText('Included from pro on.').waitFor()
      await notice.getByText(/Request id [\w-]{8,}/).waitFor()
      await notice.getByRole('link', { name: 'See plans' }).click()
      await page.getByRole('region', { name: 'Plans' }).waitFor()
      await page.goBack()
      await notice.waitFor()
      await page.context().close()
    },
  )

  it('a search on Free names the planes and the reranking that it left out', async () => {
    const page = await openAsFree('/search?q=timetable&planes=visual&planes=text&rerank=1')
    await page.getByText('Not searched: Picture.').waitFor()
    await page.getByText('Not reranked: the tier does not include this.').waitFor()
    await page.getByRole('link', { name: 'See plans' }).first().click()
    await page.getByRole('region', { name: 'Plans' }).waitFor()
    await page.context().close()
  })

  it('an upload that is refused says so, and can be left out', async () => {
    const page = await openAsFree('/documents')
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('"bytes"')) return route.continue()
      const error = {
        message: 'the tier free has room for 25000 documents',
        extensions: { code: 'quota_exceeded', status: 402, required_tier: 'pro' },
      }
      await route.fulfill({ status: 402, headers: { 'x-request-id': 'req-upload-1' }, json: { errors: [error] } })
    })
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('button', { name: 'Choose files' }).click()
    await (await choosing).setFiles({ name: 'tides.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tides') })
    await page.getByRole('textbox', { name: 'Destination' }).fill('harbor')
    await page.getByRole('button', { name: 'Send 1 file' }).click()
    const notice = page.getByRole('region', { name: 'Runs' }).getByRole('alert')
    await notice.getByText('Request id req-upload-1').waitFor()
    await notice.getByRole('link', { name: 'See plans' }).waitFor()
    await notice.getByRole('button', { name: 'Dismiss' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.context().close()
  })
})
