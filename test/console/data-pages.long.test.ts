import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { noBrowser } from '../support/browser/browser.ts'
import { hostileUnits } from '../support/browser/hostile-units.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

describe.skipIf(noBrowser)(`pages of the console${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  beforeAll(async () => {
    opened = await openSeededConsole()
    const written = await opened.app.call('POST', '/v1/ingest', { token: opened.admin, body: { units: hostileUnits } })
    expect(written.status, JSON.stringify(written.body)).toBe(200)
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  // In all themes and widths, without violations: every-page.long.test.ts.
  test('text of Units that is markup or hides its direction shows as text', async () => {
    const page = await opened.open('/documents?view=units&prefix=hostile')
    const table = page.getByRole('table', { name: 'Units' })
    await table.getByText('<script>document.title="taken"</script>').waitFor()
    await table.getByText('U+202E').waitFor()
    await table.getByRole('link', { name: '<svg onload' }).click()
    await page.getByRole('region', { name: 'Text' }).getByText('<svg onload="document.title').waitFor()
    const marked = page.getByRole('list', { name: 'Units' }).getByRole('listitem')
    await expect.poll(() => marked.count()).toBe(3)
    await expect.poll(() => page.title()).not.toBe('taken')
    await expect.poll(() => page.locator('main script, main svg:not(.lucide), main img').count()).toBe(0)
    await page.context().close()
  })

  test('the longest moment fits its column', async () => {
    const page = await opened.open('/documents?scope=*')
    const moment = page.getByRole('table', { name: 'Documents' }).locator('time').first()
    const hidden = await moment.evaluate((time) => {
      time.textContent = 'Dec 28, 2026, 10:48 PM'
      const cell = time.closest('[role="cell"]')
      return cell === null ? Number.NaN : cell.scrollWidth - cell.clientWidth
    })
    expect(hidden).toBeLessThanOrEqual(0)
    await page.context().close()
  })

  test('the log verifies in the browser, and a row that was changed on the way does not', async () => {
    const page = await opened.open('/audit')
    await page.getByRole('button', { name: 'Verify' }).click()
    const found = page.getByRole('region', { name: 'Verification' })
    await found.getByText(/^Service: intact, \d+ rows checked/).waitFor()
    await found.getByText(/^This browser: verified, \d+ rows, checkpoint of \d+ signed by svc\/audit\/demo/).waitFor()

    // Filtered: in a long log only the visible rows are in the page.
    await page.goto('/audit?action=seed.run')
    await page.getByRole('link', { name: 'Row 2', exact: true }).click()
    await page.getByRole('region', { name: 'Row 2' }).getByText('seed.run').waitFor()
    await page.route('**/graphql', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replace('"seed.run"', '"seed.ran"') })
    })
    await page.reload()
    await page.getByRole('button', { name: 'Verify' }).click()
    const alert = found.getByRole('alert')
    await alert.waitFor()
    await expect
      .poll(() => alert.textContent())
      .toBe('This browser: does not verify: row 2: its hash does not match its content')
    // What the service says of the log may still be on its way.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.context().close()
  })

  test('the log is not verified before it is known whose log it is', async () => {
    const page = await opened.tab()
    const session = Promise.withResolvers<void>()
    await page.route('**/graphql', async (route) => {
      const answer = await route.fetch()
      const body = await answer.text()
      if (body.startsWith('{"data":{"context":')) await session.promise
      await route.fulfill({ response: answer, body })
    })
    await page.goto('/audit?action=seed.run')
    await page.getByRole('link', { name: 'Row 2', exact: true }).waitFor()
    const verify = page.getByRole('button', { name: 'Verify' })
    await expect.poll(() => verify.getAttribute('aria-disabled')).toBe('true')
    session.resolve()
    await verify.click()
    await page.getByText(/^This browser: verified, \d+ rows/).waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.context().close()
  })

  test('a file is uploaded, becomes a document, and one that cannot be read says why', async () => {
    const page = await opened.open('/documents?scope=harbor/general')
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('button', { name: 'Choose files' }).click()
    const files = [
      { name: 'tides.md', mimeType: 'text/markdown', buffer: Buffer.from('# Tides\n\nHigh water is at noon.\n') },
      { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\nnothing') },
    ]
    await (await choosing).setFiles(files)
    await page.getByRole('button', { name: 'Send 2 files' }).click()
    const runs = page.getByRole('region', { name: 'Runs' })
    await runs.getByText('ready, 1 Unit').waitFor()
    await runs.getByText('failed: malformed').waitFor()
    await runs.getByRole('button', { name: 'Try again' }).waitFor()
    await page.getByRole('table', { name: 'Documents' }).getByRole('link', { name: /tides/i }).click()
    await page.getByRole('region', { name: 'Text' }).getByText('High water is at noon.').waitFor()
    await page.context().close()
  })

  test('a key shows what it can do before it is made, and once after', async () => {
    const page = await opened.open('/access/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    const form = page.getByRole('form', { name: 'New key' })
    await form.getByRole('textbox', { name: 'Name' }).fill('reader')
    const width = form.getByRole('region', { name: 'What this key can do' })
    await width.getByText('in 4 scopes: harbor/backend').waitFor()
    await width.getByText('hidden Units: as the namespace').waitFor()
    await form.getByRole('combobox', { name: 'Hidden Units' }).selectOption('only whether there are any')
    await width.getByText('hidden Units: only whether there are any').waitFor()
    await form.getByRole('button', { name: 'Create key' }).click()
    const made = page.getByRole('textbox', { name: 'Key reader' })
    await expect.poll(() => made.inputValue()).toMatch(/^svc_sk_reader_\w{32}$/)
    const token = await made.inputValue()
    await page.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('table', { name: 'Keys' }).getByRole('row').filter({ hasText: 'reader' })
    await row.getByText('whether any').waitFor()
    await page.getByRole('row').filter({ hasText: 'admin' }).getByText('as namespace').waitFor()
    const inUse = page.getByRole('table', { name: 'Keys' }).getByRole('row').filter({ hasText: 'in use here' })
    await expect.poll(() => inUse.count()).toBe(1)
    await inUse.getByRole('button', { name: 'Revoke' }).click()
    await page
      .getByRole('dialog')
      .getByText(/^The key admin, used .+ by demo-admin, no longer works\. This page uses it/)
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByText('The key reader, never used, no longer works.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await opened.app.call('GET', '/v1/context', { token })).status).toBe(401)
    await page.context().close()
  })

  test('access is explained for a scope and for a Unit', async () => {
    const page = await opened.open('/access/explain')
    const form = page.getByRole('form', { name: 'Explain access' })
    await form.getByRole('textbox', { name: 'Principal' }).fill('demo-readonly')
    await form.getByRole('textbox', { name: 'Unit or scope' }).fill('harbor/backend')
    await form.getByRole('button', { name: 'Explain' }).click()
    await page.getByRole('region', { name: 'Read' }).getByText('Read: allowed').waitFor()
    await page.getByRole('region', { name: 'Write' }).getByText('Write: denied').waitFor()
    await page.context().close()
  })
})
