import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noBrowser } from '../support/browser/browser.ts'
import { openSeededConsole, type SeededConsole } from '../support/browser/seeded-console.ts'
import { holdRuns } from '../support/documents/hold-runs.ts'
import { tempDir } from '../support/temp-dir.ts'

/** What is waited for comes, however busy the machine is. */
const long = 120_000

describe.skipIf(noBrowser)(`files that are uploaded${noBrowser ? ` (${noBrowser})` : ''}`, () => {
  let opened: SeededConsole
  const folder = tempDir('uploads')
  beforeAll(async () => {
    opened = await openSeededConsole()
  })
  afterAll(async () => {
    await opened?.close()
    folder.remove()
    expect(opened.problems).toEqual([])
  })

  const file = (name: string, text: string) => {
    const path = join(folder.path, name)
    writeFileSync(path, text)
    return path
  }

  /** Drags files of the machine over the page and drops them there, through the browser itself. */
  const drop = async (page: Page, files: string[]) => {
    const session = await page.context().newCDPSession(page)
    const data = { items: [], files, dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data })
    }
  }

  /** Lets `bytesPerSecond` leave the page. */
  const slowUploads = async (page: Page, bytesPerSecond: number) => {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytesPerSecond }
    await session.send('Network.emulateNetworkConditions', conditions)
  }

  const found = async (token: string, q: string) => {
    const { body } = await opened.app.call('POST', '/v1/search', { token, scope: '*', body: { q, top_k: 50 } })
    return body.hits.filter((hit: { doc_id: string | null }) => hit.doc_id?.startsWith('dropped-'))
  }

  it('are dropped, show how far they are, and lie in the scope, open to the groups', { timeout: 180_000 }, async () => {
    const page = await opened.open('/documents?scope=*')
    const destination = page.getByRole('combobox', { name: 'Destination' })
    await destination.fill('harbor/backend')
    await page.getByRole('option', { name: 'harbor/backend' }).click()
    await page.getByRole('textbox', { name: 'Groups that may read' }).fill('backend')
    // Eight seconds: a busy machine looks at the bar while it is on its way.
    await slowUploads(page, 20_000)
    const lines = Array.from({ length: 3_000 }, (_, line) => `Bollard ${line} of the quay was painted again in spring.`)
    await drop(page, [file('dropped-bollards.txt', lines.join('\n'))])
    const bar = page.getByRole('progressbar', { name: 'Upload of dropped-bollards.txt' })
    await expect
      .poll(() => bar.evaluate((element: HTMLProgressElement) => element.value > 0 && element.value < 1))
      .toBe(true)
    const runs = page.getByRole('region', { name: 'Runs' })
    await runs.getByText(/^ready, \d+ Units$/).waitFor({ timeout: long })
    expect(await bar.count()).toBe(0)
    const readers = await found(opened.tokens.readonly ?? '', 'bollard of the quay')
    expect(readers.length).toBeGreaterThan(0)
    expect(new Set(readers.map(({ scope }: { scope: string }) => scope))).toEqual(new Set(['harbor/backend']))

    await page.getByRole('textbox', { name: 'Groups that may read' }).fill('')
    await drop(page, [file('dropped-lantern.txt', 'The lantern of the breakwater burns whale oil.')])
    await runs.getByText('ready, 1 Unit', { exact: true }).waitFor({ timeout: long })
    const lantern = 'lantern of the breakwater'
    const ids = (hits: { doc_id: string }[]) => hits.map(({ doc_id }) => doc_id)
    expect(ids(await found(opened.admin, lantern))).toContain('dropped-lantern.txt')
    expect(ids(await found(opened.tokens.readonly ?? '', lantern))).not.toContain('dropped-lantern.txt')
    await page.context().close()
  })

  const failedRuns = async (): Promise<{ name: string; updatedAt: number }[]> => {
    const query = '{ documents(status: failed) { documents { name updatedAt } } }'
    return (await opened.app.graphql(query, {}, { token: opened.admin, scope: '*' })).body.data.documents.documents
  }

  it('that failed are tried again, one or all of them', { timeout: 180_000 }, async () => {
    const page = await opened.open('/documents?scope=harbor/general')
    await drop(page, [file('broken.json', '{'), file('cut.json', '["open'), file('whole.txt', 'A whole text.')])
    const runs = page.getByRole('region', { name: 'Runs' })
    const run = (name: string) => runs.getByRole('listitem').filter({ hasText: name })
    await run('whole.txt').getByText('ready, 1 Unit').waitFor({ timeout: long })
    expect(await run('whole.txt').getByRole('button').count()).toBe(0)
    for (const name of ['broken.json', 'cut.json']) await run(name).getByText('failed: ').waitFor({ timeout: long })
    /** Which runs have changed since `before`. */
    const changed = async (before: { name: string; updatedAt: number }[]) =>
      (await failedRuns())
        .filter(({ name, updatedAt }) => updatedAt > (before.find((one) => one.name === name)?.updatedAt ?? 0))
        .map(({ name }) => name)
        .toSorted()
    const first = await failedRuns()
    await run('cut.json').getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => changed(first), { timeout: long }).toEqual(['cut.json'])
    await run('cut.json').getByText('failed: ').waitFor({ timeout: long })
    const second = await failedRuns()
    await runs.getByRole('button', { name: 'Try all 2 again' }).click()
    await expect.poll(() => changed(second), { timeout: long }).toEqual(['broken.json', 'cut.json'])
    await page.context().close()
  })

  it('stay ready where the answer to the upload comes last', { timeout: 180_000 }, async () => {
    const page = await opened.open('/documents?scope=harbor/general')
    const release = holdRuns(opened.app)
    const late = Promise.withResolvers<void>()
    let follows = 0
    await page.route('**/graphql', async (route) => {
      const request = route.request()
      // Nothing but that answer says anything new of the file from then on.
      if (request.headers().accept === 'text/event-stream' && ++follows > 1) return route.abort()
      if (!request.postData()?.includes('"sourceUri"')) return route.fallback()
      const response = await route.fetch()
      await late.promise
      return route.fulfill({ response })
    })
    await drop(page, [file('tide.txt', 'The tide table hangs in the hall.')])
    const runs = page.getByRole('region', { name: 'Runs' })
    await runs.getByText('being read', { exact: true }).waitFor({ timeout: long })
    release()
    await runs.getByText('ready, 1 Unit', { exact: true }).waitFor({ timeout: long })
    late.resolve()
    await page.getByRole('progressbar').waitFor({ state: 'detached', timeout: long })
    expect(await runs.getByText('ready, 1 Unit', { exact: true }).count()).toBe(1)
    await page.context().close()
  })

  it('are followed on where the connection breaks', { timeout: 180_000 }, async () => {
    const page = await opened.open('/documents?scope=harbor/general')
    let broken = 0
    await page.route('**/graphql', async (route) => {
      const follows = route.request().headers().accept === 'text/event-stream'
      if (!follows || broken > 0) return route.fallback()
      broken += 1
      await route.abort()
    })
    await drop(page, [file('buoy.txt', 'The buoy of the channel is green.')])
    const runs = page.getByRole('region', { name: 'Runs' })
    await runs.getByText('ready, 1 Unit', { exact: true }).waitFor({ timeout: long })
    expect(broken).toBe(1)
    await page.context().close()
  })
})
