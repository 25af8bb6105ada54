import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, type TestApp } from '../support/boot.ts'
import { noBrowser, openBrowser, visit } from '../support/browser/browser.ts'
import { type LoggedServer, listen } from '../support/process/http-server.ts'

describe.skipIf(noBrowser)(`copied requests and tiers${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let app: TestApp
  let server: LoggedServer
  let browser: Browser
  let tokens: Record<'admin' | 'free', string>
  const problems: string[] = []
  const open = async (path: string, key: string, width = 1440) => {
    const visited = await visit(browser, server.url, { key, width })
    visited.page.context().once('close', () => problems.push(...visited.problems))
    await visited.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await visited.page.goto(path)
    await visited.page.locator('main[aria-busy="false"] h1').waitFor()
    return visited.page
  }
  beforeAll(async () => {
    app = await boot()
    server = await listen(app)
    browser = await openBrowser()
    tokens = (await app.call('POST', '/v1/admin/seed')).body.tokens
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await app?.close()
    expect(problems).toEqual([])
  })

  it.each([
    ['/documents?scope=*&prefix=timetable', 'docs'],
    ['/documents?scope=*&view=units', 'units'],
    ['/audit?action=seed.run', 'audit'],
    ['/access/explain?principal=demo-readonly&target=harbor/backend', 'explainAccess'],
    ['/evaluation', 'evaluationRuns'],
  ])('%s is copied as a command that answers, without the key', async (path, field) => {
    const page = await open(path, tokens.admin)
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: 'GraphQL' }).click()
    await expect.poll(copied).toContain('# variables')
    expect(await copied()).not.toContain(tokens.admin)
    await page.locator('h1').click()
    await page.keyboard.press('y')
    await expect.poll(copied).toContain('$TOKEN')
    expect(await copied()).not.toContain(tokens.admin)
    const env = { ...process.env, TOKEN: tokens.admin }
    const { stdout } = await promisify(execFile)('bash', ['-c', await copied()], { env })
    const { data, errors } = JSON.parse(stdout)
    expect(errors).toBeUndefined()
    expect(data).toEqual({ [field]: expect.any(Object) })
    await page.context().close()
  })

  it.each(['/ask?q=hello', '/audit'])(
    '%s says on Free what includes it, with the request id and the plans',
    async (path) => {
      const page = await open(path, tokens.free, 360)
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
    const page = await open('/search?q=timetable&planes=visual&planes=text&rerank=1', tokens.free)
    await page.getByText('Not searched: Picture.').waitFor()
    await page.getByText('Not reranked: the tier does not include this.').waitFor()
    await page.getByRole('link', { name: 'See plans' }).first().click()
    await page.getByRole('region', { name: 'Plans' }).waitFor()
    await page.context().close()
  })

  it('an upload that is refused says so, and can be left out', async () => {
    const page = await open('/documents', tokens.free)
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
    await (await choosing).setFiles({ name: 'tides.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tides') })
    const notice = page.getByRole('region', { name: 'Runs' }).getByRole('alert')
    await notice.getByText('Request id req-upload-1').waitFor()
    await notice.getByRole('link', { name: 'See plans' }).waitFor()
    await notice.getByRole('button', { name: 'Leave it out' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.context().close()
  })
})
