import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
import { noBrowser } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'

describe.skipIf(noBrowser)(`a deletion and its log${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  beforeAll(async () => {
    opened = await openSeededConsole()
  })
  afterAll(async () => {
    await opened?.close()
    expect(opened.problems).toEqual([])
  })

  const inLog = async (action: string) => {
    const query = `query ($filter: AuditFilterInput) { audit(filter: $filter) { rows { seq } } }`
    const { body } = await opened.app.graphql(query, { filter: { action } }, { token: opened.admin })
    return body.data.audit.rows.map(({ seq }: { seq: number }) => seq)
  }

  it('has a receipt that the browser checks, and not if it was changed on the way', async () => {
    const unit = { text: 'A note that has to go.', scope: 'harbor/general', acl_groups: ['*'] }
    const written = await opened.app.call('POST', '/v1/ingest', { token: opened.admin, body: { units: [unit] } })
    const ids = [written.body.units[0].unit_id]
    const asked = { token: opened.admin, body: { ids, hard: true } }
    const { seq } = (await opened.app.call('POST', '/v1/units:delete', asked)).body
    await opened.app.runtime.domain.background.idle()
    const [row] = await inLog('units.delete')
    const page = await opened.open(`/audit/receipts/${seq}`)
    const verification = page.getByRole('region', { name: 'Verification' })
    await verification.getByText('This browser: verified').waitFor()
    await page.getByRole('table', { name: 'Stores' }).getByText('catalog').waitFor()
    await page
      .getByRole('table', { name: 'Rows of the log' })
      .getByRole('link', { name: `Row ${row}` })
      .waitFor()
    await expect.poll(() => violations(page)).toEqual([])
    await page.route('**/graphql', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replaceAll('units.delete', 'units.ingest') })
    })
    await page.reload()
    await verification.getByRole('alert').getByText('This browser: does not verify').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.context().close()
  })

  it('is in the export, which is downloaded by a link', async () => {
    const page = await opened.open('/audit')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const download = await downloading
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n')
    const rows = lines.map((line) => JSON.parse(line))
    const deletions = await inLog('units.delete')
    expect(deletions).toHaveLength(1)
    expect(rows.filter(({ action }) => action === 'units.delete').map((row) => row.seq)).toEqual(deletions)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/audit')
    await page.context().close()
  })
})
