import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violations } from '../support/browser/axe.ts'
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
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return path
  }

  /** Drags files of the machine over the page and drops them there, through the browser itself. */
  const drop = async (page: Page, files: string[]) => {
    const session = await page.context().newCDPSession(page)
    const data = { items: [], files, dragOperationsMask: 1 }
    const dispatch = (type: 'dragEnter' | 'dragOver' | 'drop') =>
      session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data })
    await dispatch('dragEnter')
    // The browser only drops where the page has accepted, which the page shows by an outline.
    await expect
      .poll(async () => {
        await dispatch('dragOver')
        return page.locator('.outline-accent').count()
      })
      .toBe(1)
    await dispatch('drop')
  }

  /** Sends what was dropped to where the page is. */
  const dropAndSend = async (page: Page, files: string[]) => {
    await drop(page, files)
    await page.getByRole('button', { name: /^Send \d+ files?$/ }).click()
  }

  /** Lets this number of bytes a second leave the page, until it is called again; -1 is all. */
  const throttleOf = async (page: Page) => {
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    const conditions = { offline: false, latency: 0, downloadThroughput: -1 }
    return (uploadThroughput: number) =>
      session.send('Network.emulateNetworkConditions', { ...conditions, uploadThroughput })
  }

  /** A tab whose timers can be moved on: the page asks for its runs, and follows them again, every ten seconds. */
  const openWithClock = async (path: string) => {
    const page = await opened.tab()
    await page.clock.install()
    await page.goto(path)
    await page.locator('main[aria-busy="false"] h1').waitFor()
    const untilItShows = (text: Locator) =>
      expect
        .poll(
          async () => {
            await page.clock.fastForward(10_000)
            return text.count()
          },
          { interval: 500 },
        )
        .toBe(1)
    return { page, untilItShows }
  }

  const found = async (token: string, q: string) => {
    const { body } = await opened.app.call('POST', '/v1/search', { token, scope: '*', body: { q, top_k: 50 } })
    return body.hits.filter((hit: { doc_id: string | null }) => hit.doc_id?.startsWith('dropped-'))
  }

  it('are dropped, go where one says, show how far they are, and open to whom one names', async () => {
    const page = await opened.open('/documents?scope=*')
    const lines = Array.from({ length: 3_000 }, (_, line) => `Bollard ${line} of the quay was painted again in spring.`)
    await drop(page, [file('dropped-bollards.txt', lines.join('\n'))])
    const send = page.getByRole('button', { name: 'Send 1 file' })
    await send.waitFor()
    await expect.poll(() => send.isDisabled()).toBe(true)
    await page.getByText('Still to choose: a destination').waitFor()
    await expect.poll(() => violations(page)).toEqual([])
    await page.getByRole('combobox', { name: 'Destination' }).fill('harbor/backend')
    await page.getByRole('option', { name: 'harbor/backend' }).click()
    await page.getByRole('radio', { name: 'Groups and people' }).check()
    await page.getByText('Still to choose: who may read').waitFor()
    const readers = page.getByRole('combobox', { name: 'Readers' })
    await readers.fill('backend')
    await readers.press('Enter')
    await page.getByRole('button', { name: 'Remove group backend' }).waitFor()
    await expect.poll(() => violations(page)).toEqual([])
    const throttle = await throttleOf(page)
    await throttle(5_000)
    await send.click()
    const bar = page.getByRole('progressbar', { name: 'Upload of dropped-bollards.txt' })
    await expect
      .poll(() => bar.evaluate((element: HTMLProgressElement) => element.value > 0 && element.value < 1))
      .toBe(true)
    const runs = page.getByRole('region', { name: 'Runs' })
    await runs.getByText(/^sending, .* of \d+\.\d kB, \d+ s left$/).waitFor()
    await throttle(-1)
    await runs.getByText(/^ready, \d+ Units$/).waitFor({ timeout: long })
    await expect.poll(() => bar.count()).toBe(0)
    const bollards = await found(opened.tokens.readonly ?? '', 'bollard of the quay')
    expect(bollards.length).toBeGreaterThan(0)
    expect(new Set(bollards.map(({ scope }: { scope: string }) => scope))).toEqual(new Set(['harbor/backend']))

    await drop(page, [file('dropped-lantern.txt', 'The lantern of the breakwater burns whale oil.')])
    await page.getByRole('radio', { name: 'Only me' }).check()
    await page.getByRole('button', { name: 'Send 1 file' }).click()
    await runs.getByText('ready, 1 Unit', { exact: true }).waitFor({ timeout: long })
    const lantern = 'lantern of the breakwater'
    const ids = (hits: { doc_id: string }[]) => hits.map(({ doc_id }) => doc_id)
    expect(ids(await found(opened.admin, lantern))).toContain('dropped-lantern.txt')
    expect(ids(await found(opened.tokens.readonly ?? '', lantern))).not.toContain('dropped-lantern.txt')
    await page.context().close()
  })

  it('go to a new scope that is typed', async () => {
    const page = await opened.open('/documents?scope=*')
    await drop(page, [file('dropped-buoys.txt', 'The buoys were counted.')])
    await page.getByRole('combobox', { name: 'Destination' }).fill('harbor/buoys')
    await page.getByRole('option', { name: 'harbor/buoys (new scope)' }).click()
    await page.getByRole('radio', { name: 'Everyone in harbor/buoys' }).check()
    await page.getByRole('button', { name: 'Send 1 file' }).click()
    await page.getByRole('region', { name: 'Runs' }).getByText('ready, 1 Unit').waitFor({ timeout: long })
    const [hit] = await found(opened.admin, 'were the buoys counted')
    expect([hit.doc_id, hit.scope]).toEqual(['dropped-buoys.txt', 'harbor/buoys'])
    await page.context().close()
  })

  it('of a folder keep their paths; what is not read is said before it is sent', async () => {
    const page = await opened.open('/documents?scope=harbor/general')
    const paths = [
      'logbook/2026/may.txt',
      'logbook/june.txt',
      'logbook/.cache',
      'logbook/engine.bin',
      'logbook/none.md',
    ]
    const texts = ['Calm in May.', 'Fog in June.', 'x', 'a\0b', '']
    for (const [at, path] of paths.entries()) file(path, texts[at] ?? '')
    // By the keyboard: the dialog has the focus, and gives it back.
    const upload = page.getByRole('button', { name: 'Upload', exact: true })
    await upload.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Upload files' })
    await dialog.waitFor()
    await expect.poll(() => dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => upload.evaluate((element) => element === document.activeElement)).toBe(true)

    const sent: string[] = []
    await page.route('**/graphql', (route) => {
      const { input } = route.request().postDataJSON().variables ?? {}
      if (input?.bytes !== undefined) sent.push(input.name)
      return route.fallback()
    })
    await drop(page, [join(folder.path, 'logbook')])
    const skipped = dialog.getByRole('region', { name: 'Not sent' })
    await skipped.getByText('.bin is not read').waitFor()
    await skipped.getByText('is empty').waitFor()
    await dialog.getByText('Left out: 1 hidden file.').waitFor()
    await expect.poll(() => skipped.getByRole('button', { name: /^Send anyway/ }).count()).toBe(1)
    await dialog.getByText('Which files can be read').click()
    await dialog.getByText('a PDF document: pdf').waitFor()
    await expect.poll(() => violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Send 2 files' }).click()
    const runs = page.getByRole('region', { name: 'Runs' })
    for (const path of paths.slice(0, 2)) {
      await runs.getByRole('listitem').filter({ hasText: path }).getByText('ready, 1 Unit').waitFor({ timeout: long })
    }
    expect(sent.toSorted()).toEqual(paths.slice(0, 2))
    await page.context().close()
  })

  it('that were refused go elsewhere at the next try, or are dismissed', async () => {
    const page = await opened.open('/documents?scope=harbor/general')
    let refused = 0
    await page.route('**/graphql', async (route) => {
      const isUpload = route.request().postDataJSON().variables?.input?.bytes !== undefined
      if (!isUpload || refused === 2) return route.fallback()
      refused += 1
      const error = { message: 'no write here', extensions: { code: 'forbidden', status: 403 } }
      await route.fulfill({ status: 403, json: { errors: [error] } })
    })
    await dropAndSend(page, [file('dropped-anchor.txt', 'The anchor weighs a ton.'), file('rope.txt', 'A rope.')])
    const runs = page.getByRole('region', { name: 'Runs' })
    const run = (name: string) => runs.getByRole('listitem').filter({ hasText: name })
    await run('rope.txt').getByRole('button', { name: 'Dismiss' }).click()
    await run('rope.txt').waitFor({ state: 'detached' })
    await run('dropped-anchor.txt').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('combobox', { name: 'Destination' }).fill('harbor/backend')
    await page.getByRole('option', { name: 'harbor/backend' }).click()
    await page.getByRole('radio', { name: 'Everyone in harbor/backend' }).check()
    await page.getByRole('button', { name: 'Send 1 file' }).click()
    await run('dropped-anchor.txt').getByText('ready, 1 Unit').waitFor({ timeout: long })
    await expect.poll(() => runs.getByRole('alert').count()).toBe(0)
    const [hit] = await found(opened.tokens.readonly ?? '', 'how much does the anchor weigh')
    expect(hit).toMatchObject({ doc_id: 'dropped-anchor.txt', scope: 'harbor/backend' })
    await page.context().close()
  })

  const failedRuns = async (): Promise<{ name: string; updatedAt: number }[]> => {
    const query = '{ documents(status: failed) { documents { name updatedAt } } }'
    return (await opened.app.graphql(query, {}, { token: opened.admin, scope: '*' })).body.data.documents.documents
  }

  it('that failed are tried again, one or all of them', async () => {
    const page = await opened.open('/documents?scope=harbor/general')
    await dropAndSend(page, [file('broken.json', '{'), file('cut.json', '["open'), file('whole.txt', 'A whole text.')])
    const runs = page.getByRole('region', { name: 'Runs' })
    const run = (name: string) => runs.getByRole('listitem').filter({ hasText: name })
    await run('whole.txt').getByText('ready, 1 Unit').waitFor({ timeout: long })
    await expect.poll(() => run('whole.txt').getByRole('button').count()).toBe(0)
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
    // The page may still show that they failed before.
    await page.reload()
    for (const name of ['broken.json', 'cut.json']) await run(name).getByText('failed: ').waitFor({ timeout: long })
    await runs.getByRole('button', { name: 'Dismiss all failures' }).click()
    await run('cut.json').waitFor({ state: 'detached' })
    await page.reload()
    await page.locator('main[aria-busy="false"] h1').waitFor()
    await runs.getByText('No file is on its way').waitFor()
    await page.context().close()
  })

  it('stay ready where the answer to the upload comes last', async () => {
    const { page, untilItShows } = await openWithClock('/documents?scope=harbor/general')
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
    await dropAndSend(page, [file('tide.txt', 'The tide table hangs in the hall.')])
    const runs = page.getByRole('region', { name: 'Runs' })
    await untilItShows(runs.getByText('being read', { exact: true }))
    release()
    await runs.getByText('ready, 1 Unit', { exact: true }).waitFor({ timeout: long })
    late.resolve()
    await page.getByRole('progressbar').waitFor({ state: 'detached', timeout: long })
    await expect.poll(() => runs.getByText('ready, 1 Unit', { exact: true }).count()).toBe(1)
    await page.context().close()
  })

  it('are followed on where the connection breaks', async () => {
    const { page, untilItShows } = await openWithClock('/documents?scope=harbor/general')
    let broken = 0
    await page.route('**/graphql', async (route) => {
      const follows = route.request().headers().accept === 'text/event-stream'
      if (!follows || broken > 0) return route.fallback()
      broken += 1
      await route.abort()
    })
    await dropAndSend(page, [file('buoy.txt', 'The buoy of the channel is green.')])
    const runs = page.getByRole('region', { name: 'Runs' })
    await untilItShows(runs.getByText('ready, 1 Unit', { exact: true }))
    expect(broken).toBe(1)
    await page.context().close()
  })
})
