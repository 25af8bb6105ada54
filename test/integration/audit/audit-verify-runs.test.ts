import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { superAdminToken } from '../../support/boot.ts'
import { bootTampered, type TamperedApp } from '../../support/database/tampered-log.ts'

/** The pages that verifications read from the catalog, and a way to block them. */
interface Page {
  namespace: string
  above: number
  rows: number
}
let pages: Page[] = []
const running = new Map<string, number>()
let maxRunning = 0
let beforePage: (namespace: string, above: number) => Promise<void> = async () => {}

let tampered: TamperedApp
let long: string
beforeAll(async () => {
  tampered = await bootTampered((audit) => ({
    ...audit,
    lines: async (namespace, above, upTo) => {
      const count = (by: number) => running.set(namespace.name, (running.get(namespace.name) ?? 0) + by)
      count(1)
      maxRunning = Math.max(maxRunning, running.get(namespace.name) ?? 0)
      await beforePage(namespace.name, above)
      const batch = await audit.lines(namespace, above, upTo)
      pages.push({ namespace: namespace.name, above, rows: batch.join('\n').split('\n').length })
      count(-1)
      return batch
    },
  }))
  long = await tampered.log('long', 24_500)
  await tampered.log('short', 3)
})
afterAll(() => tampered.app.close())
beforeEach(() => {
  pages = []
  maxRunning = 0
  beforePage = async () => {}
})

const verify = (namespace = 'long') => tampered.verify(namespace)

/** Blocks the pages of `long`; `reached` resolves at the first one. */
function holdUp() {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  beforePage = async (namespace) => {
    if (namespace !== 'long') return
    reached.resolve()
    await released.promise
  }
  return { reached: reached.promise, release: released.resolve }
}

test('a long log is read in pages', async () => {
  expect(await verify()).toMatchObject({ intact: true, checked: 24_500 })
  expect(pages).toEqual([
    { namespace: 'long', above: 0, rows: 8000 },
    { namespace: 'long', above: 8000, rows: 8000 },
    { namespace: 'long', above: 16_000, rows: 8000 },
    { namespace: 'long', above: 24_000, rows: 500 },
  ])
})

test('a break on a later page is found, and no more than the next two pages are read', async () => {
  const time = (by: number) =>
    tampered.sql(`UPDATE audit_row SET time = time + $2::int WHERE namespace_id = $1 AND seq = 7001`, long, by)
  await time(1)
  const found = await verify()
  await time(-1)
  expect(found).toMatchObject({ intact: false, break_at: 7001, checked: 7001 })
  // The number of pages read by then depends on timing.
  expect(pages.length).toBeLessThanOrEqual(3)
})

test('other requests are answered between the pages', async () => {
  let answered = 0
  beforePage = async () => {
    const { status } = await tampered.app.call('GET', '/v1/context', { token: superAdminToken, namespace: 'short' })
    answered += status === 200 ? 1 : 0
  }
  await verify()
  expect(answered).toBe(4)
})

test('runs of one log follow one another; another namespace does not wait', async () => {
  const { reached, release } = holdUp()
  const first = verify()
  await reached
  // Together with the one below, the maximum of concurrent runs for one caller.
  const others = [verify(), verify()]
  expect(await verify('short')).toMatchObject({ intact: true, checked: 3 })
  release()
  for (const report of await Promise.all([first, ...others]))
    expect(report).toMatchObject({ namespace: 'long', intact: true, checked: 24_500 })
  expect(maxRunning).toBe(1)
})

test('no report is older than its request', async () => {
  const { reached, release } = holdUp()
  beforePage = (
    (hold) => (namespace, above) =>
      above === 8000 ? hold(namespace, above) : Promise.resolve()
  )(beforePage)
  const first = verify()
  await reached
  await tampered.sql(`UPDATE audit_row SET outcome = 'forbidden' WHERE namespace_id = $1 AND seq = 7`, long)
  const second = verify()
  release()
  expect(await first).toMatchObject({ intact: true })
  expect(await second).toMatchObject({ intact: false, break_at: 7 })
  await tampered.sql(`UPDATE audit_row SET outcome = 'ok' WHERE namespace_id = $1 AND seq = 7`, long)
})

test('rows that are written meanwhile are left to the next run', async () => {
  const { reached, release } = holdUp()
  const first = verify()
  await reached
  const token = await tampered.app.principal({ id: 'scribe', namespace: 'long' })
  const { status } = await tampered.app.call('POST', '/v1/scopes', { token, body: { scope: 'meanwhile' } })
  expect(status).toBe(200)
  release()
  expect(await first).toMatchObject({ intact: true, checked: 24_500, head_seq: 24_500 })
  expect(await verify()).toMatchObject({ intact: true, checked: 24_501, head_seq: 24_501 })
})

test('a run that fails fails its own callers alone', async () => {
  let failures = 0
  beforePage = async (namespace) => {
    if (namespace === 'short') failures += 1
    if (namespace === 'short' && failures === 1) throw new Error('the catalog is away')
  }
  const ask = () => tampered.app.call('GET', '/v1/audit/verify', { token: superAdminToken, namespace: 'short' })
  const [first, second] = await Promise.all([ask(), verify('long')])
  expect([first.status, first.body.error, second.intact]).toEqual([500, 'internal_error', true])
  expect((await ask()).body).toMatchObject({ intact: true, checked: 3 })
})
