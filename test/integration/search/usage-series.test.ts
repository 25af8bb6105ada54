import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

const hour = 3_600_000
const day = 24 * hour

let app: TestApp
let token: string
let reader: string
/** What the clock adds to the present. */
let ahead = 0
beforeAll(async () => {
  app = await boot({ bindings: { clock: { now: () => Date.now() + ahead } } })
  token = await app.principal({ id: 'ann', namespace: 'acme' })
  reader = await app.principal({ id: 'bob', namespace: 'acme', grants: [{ scope: '*', perms: ['read'] }] })
})
afterAll(() => app.close())

const series = async (from: number, to: number, step = 'hour') => {
  const { body } = await app.graphql(
    `{ usageSeries(from: ${from}, to: ${to}, step: ${step}) {
      points { at searches answers ingested deleted refused p50Ms p95Ms } } }`,
    {},
    { token: reader },
  )
  return body.errors ? body.errors[0].message : body.data.usageSeries.points
}
const post = (path: string, body: object, by = token) => app.call('POST', path, { token: by, scope: 'a', body })
const total = (points: Record<string, number>[], count: string) =>
  points.reduce((sum, one) => sum + (one[count] ?? 0), 0)

it('has every hour of a range, with what was done in each', async () => {
  const from = Date.now() - 3 * hour
  await post('/v1/ingest', { units: ['one heron', 'two herons', 'egret'].map((text) => ({ text, acl_groups: ['*'] })) })
  for (let i = 0; i < 4; i++) await post('/v1/search', { q: 'heron' })
  await post('/v1/answer', { q: 'how many herons are there?' })
  await post('/v1/units:delete', { filter: { scope: 'a' } })
  expect((await post('/v1/ingest', { units: [{ text: 'no' }] }, reader)).status).toBe(403)
  // Days of the same moments have the same sums, whatever the hour is.
  for (const step of ['hour', 'day'] as const) {
    const points = await series(from, Date.now() + 1, step)
    const size = step === 'hour' ? hour : day
    expect(points[0].at).toBe(Math.floor(from / size) * size)
    for (const [i, { at }] of points.entries()) expect(at).toBe(points[0].at + i * size)
    expect(points.at(-1).at + size).toBeGreaterThan(Date.now() - 60_000)
    const sums = ['searches', 'answers', 'ingested', 'deleted', 'refused'].map((count) => total(points, count))
    expect(sums).toEqual([4, 1, 3, 3, 1])
  }
  const points = await series(from, Date.now() + 1)
  expect(points[0]).toEqual({
    ...{ at: points[0].at, searches: 0, answers: 0, ingested: 0, deleted: 0, refused: 0, p50Ms: null, p95Ms: null },
  })
  const measured = points.find(({ p50Ms }: { p50Ms: number | null }) => p50Ms !== null)
  expect(measured.p50Ms).toBeGreaterThan(0)
  expect(measured.p95Ms).toBeGreaterThanOrEqual(measured.p50Ms)
})

it('forgets what is older than 400 days with the next count, and nothing of others', async () => {
  const now = Date.now()
  const there = async () => total(await series(now - day, now + day), 'searches')
  const before = await there()
  expect(before).toBeGreaterThan(0)
  ahead = 399 * day
  await post('/v1/search', { q: 'heron' })
  expect(await there()).toBe(before)
  ahead = 402 * day
  await post('/v1/search', { q: 'heron' })
  expect(await there()).toBe(0)
  ahead = 0
})

it.each([
  [0, 2000 * hour, 'hour', 2000],
  [1, 2000 * hour, 'hour', 2000],
  [0, 2000 * hour + 1, 'hour', /^to: must be at most 2000 steps after from/],
  [0, 2000 * day + 1, 'day', /^to: must be at most 2000/],
  [5, 5, 'hour', /^to: must be after from/],
  [-1, 5, 'hour', /^from: must not be negative/],
])('from %i to %i by %s is %s', async (from, to, step, expected) => {
  const points = await series(from, to, step)
  if (typeof expected === 'number') expect(points).toHaveLength(expected)
  else expect(points).toMatch(expected)
})
