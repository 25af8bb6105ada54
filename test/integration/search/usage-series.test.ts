import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrismaCatalog } from '../../../src/adapters/catalog/catalog.ts'
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

describe('what is stored', () => {
  const none = { text: 0, visual: 0, audio: 0, docVisual: 0 }
  const query = `query($from: SafeInt!, $to: SafeInt!, $step: UsageStep!) {
    usageSeries(from: $from, to: $to, step: $step) { points { at units { text visual audio docVisual } sourceBytes } }
    catalogStats { storage { objectStoreGb catalogRows } } }`
  const asked = async (as: string, { from = Date.now() - 10 * hour, to = Date.now(), step = 'hour' } = {}) => {
    const { body } = await app.graphql(query, { from, to, step }, { token: as })
    expect(body.errors).toBeUndefined()
    return body.data
  }
  const database = () => (app.runtime.bindings.catalog as PrismaCatalog).client
  /** As if all that a namespace did so far had been done three hours ago. Returns the last of these hours. */
  const threeHoursAgo = async (name: string): Promise<number> => {
    const { id: namespaceId } = await database().namespace.findFirstOrThrow({ where: { name } })
    await database().queryCount.updateMany({ where: { namespaceId }, data: { hour: { decrement: 3 } } })
    const { _max } = await database().queryCount.aggregate({ where: { namespaceId }, _max: { hour: true } })
    return _max.hour ?? 0
  }

  it('is known at the end of every step, by plane and in bytes, and is nothing before the first write', async () => {
    const cat = await app.principal({ id: 'cat', namespace: 'shelf' })
    const send = async (path: string, body: object, scope = 'a') => {
      const { status, body: answer } = await app.call('POST', path, { token: cat, scope, body })
      expect(status).toBe(200)
      return answer
    }
    const upload = async (data: string) => {
      const { body } = await app.graphql(
        `mutation { createSource(input: { data: "${Buffer.from(data).toString('base64')}" }) { sourceUri } }`,
        {},
        { token: cat },
      )
      return body.data.createSource.sourceUri
    }
    const uri = await upload('12345')
    const units = [{ text: 'one' }, { text: 'two' }, { text: 'three' }, { text: 'a crane', modality: 'image' }]
    await send('/v1/ingest', { units: units.map((unit, i) => ({ ...unit, external_id: `${i}` })) })
    await send('/v1/ingest', { units: [{ external_id: 'own', text: 'five', source_uri: uri }] })
    const then = await threeHoursAgo('shelf')

    // Another plane, deleted and sent again, deleted for good with its source, and gone with its scope.
    await send('/v1/ingest', { units: [{ external_id: '0', text: 'a hum', modality: 'audio_utterance' }] })
    await send('/v1/units:delete', { ids: ['1'] })
    await send('/v1/ingest', { units: [{ external_id: '1', text: 'two' }] })
    await send('/v1/units:delete', { ids: ['2'] })
    await send('/v1/units:delete', { ids: ['own'], hard: true })
    const unused = await upload('123')
    await app.graphql(`mutation { deleteSource(sourceUri: "${unused}") { deleted } }`, {}, { token: cat })
    await upload('1234567')
    await send('/v1/ingest', { units: [{ text: 'doomed' }, { text: 'a page', modality: 'doc_page' }] }, 'b')
    expect((await app.call('DELETE', '/v1/scopes/b', { token: cat })).status).toBe(200)
    await app.runtime.domain.background.idle()

    const { usageSeries, catalogStats } = await asked(cat)
    const at = (epochHour: number) => {
      const { units, sourceBytes } = usageSeries.points.find((point: { at: number }) => point.at === epochHour * hour)
      return { units, sourceBytes }
    }
    const before = { units: { ...none, text: 4, visual: 1 }, sourceBytes: 5 }
    const after = { units: { ...none, text: 1, visual: 1, audio: 1 }, sourceBytes: 7 }
    expect([then - 2, then, then + 1, then + 2].map(at)).toEqual([
      { units: none, sourceBytes: 0 },
      before,
      before,
      before,
    ])
    expect(usageSeries.points.at(-1)).toMatchObject(after)
    expect(catalogStats.storage).toEqual({ catalogRows: 3, objectStoreGb: 7e-9 })
    // A range that ends before now has the same.
    const past = await asked(cat, { to: (then + 1) * hour })
    expect(past.usageSeries.points.at(-1)).toMatchObject(before)
    const days = await asked(cat, { from: (then - 24) * hour, step: 'day' })
    expect(days.usageSeries.points[0].units).toEqual(none)
    expect(days.usageSeries.points.at(-1)).toMatchObject(after)
  })

  it('is not known before the upgrade to a version that notes it, with and without counters of before', async () => {
    const dan = await app.principal({ id: 'dan', namespace: 'annex' })
    await post('/v1/ingest', { units: [{ text: 'one' }] }, dan)
    await threeHoursAgo('annex')
    const name = '20261204140000_usage_levels'
    const migration = readFileSync(
      join(import.meta.dirname, '../../../prisma/migrations', name, 'migration.sql'),
      'utf8',
    )
    const eve = await app.principal({ id: 'eve', namespace: 'attic' })
    await database().$executeRawUnsafe(migration.slice(migration.indexOf('INSERT')))
    for (const token of [dan, eve]) {
      await post('/v1/ingest', { units: [{ text: 'two', modality: 'caption' }] }, token)
      const { points } = (await asked(token)).usageSeries
      expect(points[0]).toMatchObject({ units: null, sourceBytes: null })
      expect(points.at(-1)).toMatchObject({ units: { ...none, text: token === dan ? 2 : 1 }, sourceBytes: 0 })
    }
  })
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
