import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { TestApp } from '../../support/boot.ts'
import { type ObservedCatalog, openObserved } from '../../support/database/observed-catalog.ts'
import { createFaultyIndex } from '../../support/index/faulty-index.ts'

const { vectors, texts, faults, close } = createFaultyIndex()
// A test can set it ahead of real time, because health changes with age.
let ahead = 0
const clock = { now: () => Date.now() + ahead }
const sweeping = { held: false }
let observed: ObservedCatalog
let app: TestApp

beforeAll(async () => {
  observed = await openObserved()
  const { changes } = observed.catalog
  observed.catalog.changes = { ...changes, unswept: async () => (sweeping.held ? [] : changes.unswept()) }
  app = await observed.app({}, { vectors, texts, clock })
})
afterAll(async () => {
  release()
  await observed.close()
  await close()
})
beforeEach(() => {
  release()
  ahead = 0
})

const hold = () => {
  for (const index of Object.values(faults)) index.hold()
}
const release = () => {
  sweeping.held = false
  for (const index of Object.values(faults)) index.release()
}

interface PlaneStatus {
  plane: string
  indexed: number
  pending: number
  lag: number
  health: string
  removed: number
}

async function yard(namespace: string) {
  const token = await app.principal({ id: `keeper-${namespace}`, namespace })
  const call = async (method: string, path: string, options: { body?: object; scope?: string } = {}) => {
    const reply = await app.call(method, path, { token, ...options })
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    return reply.body
  }
  const planes = async (method: string, path: string): Promise<Map<string, PlaneStatus>> => {
    const body: { planes: PlaneStatus[] } = await call(method, path)
    return new Map(body.planes.map((entry) => [entry.plane, entry]))
  }
  const units = (count: number, plane: string) =>
    Array.from({ length: count }, (_, i) => ({ text: `${plane} lantern ${i}`, plane }))
  const ingested = await call('POST', '/v1/ingest', { scope: 'dock', body: { units: units(5, 'text') } })
  await call('POST', '/v1/ingest', { scope: 'pier', body: { units: [...units(40, 'text'), ...units(3, 'visual')] } })
  const status = () => planes('GET', '/v1/compaction')
  await expect.poll(async () => (await status()).get('text')).toMatchObject({ indexed: 45, pending: 0, lag: 0 })
  return {
    call,
    status,
    stats: () => planes('GET', '/v1/catalog/stats'),
    removedByCompaction: async () => (await planes('POST', '/v1/compaction')).get('text')?.removed,
    unitIds: ingested.units.map((unit: { unit_id: string }) => unit.unit_id),
  }
}

/** Pending deletions appear in both answers, and health gets worse with their age. */
async function expectPending({ status, stats }: Awaited<ReturnType<typeof yard>>, text: object, visual: object) {
  ahead = 6000
  const told = await status()
  expect(told.get('text')).toMatchObject(text)
  expect(told.get('visual')).toMatchObject(visual)
  for (const answered of [await status(), await stats()]) {
    expect(answered.get('text')?.health).toBe('yellow')
    expect(answered.get('text')?.lag).toBeGreaterThanOrEqual(6000)
  }
}

const settled = async ({ status, stats, removedByCompaction }: Awaited<ReturnType<typeof yard>>) => {
  const text = { indexed: 5, lag: 0, health: 'green' }
  await expect.poll(async () => (await status()).get('text')).toMatchObject({ ...text, pending: 0 })
  expect((await stats()).get('text')).toMatchObject(text)
  expect(await removedByCompaction()).toBe(0)
}

test('a deleted scope counts as pending until its Units are swept, and then until no index holds them', async () => {
  const made = await yard('swept')
  sweeping.held = true
  await made.call('DELETE', '/v1/scopes/pier')
  const [text, visual] = [
    { indexed: 5, pending: 40 },
    { indexed: 0, pending: 3, health: 'yellow' },
  ]
  await expectPending(made, text, visual)
  hold()
  sweeping.held = false
  // This scope creation is older than the sweep.
  await made.call('POST', '/v1/scopes', { body: { scope: 'quay' } })
  await expect.poll(() => observed.groups.flat()).toContain('scope.sweep')
  await expectPending(made, text, visual)
  release()
  await settled(made)
})

test('compaction takes the Units of a deleted scope for gone before they are swept', async () => {
  const made = await yard('compacted')
  sweeping.held = true
  await made.call('DELETE', '/v1/scopes/pier')
  expect(await made.removedByCompaction()).toBe(40)
  sweeping.held = false
  await made.call('POST', '/v1/scopes', { body: { scope: 'quay' } })
  await settled(made)
})

for (const hard of [false, true]) {
  test(`Units that are deleted ${hard ? 'for good' : 'softly'} count as pending until no index holds them`, async () => {
    const made = await yard(hard ? 'purged' : 'tombstoned')
    hold()
    await made.call('POST', '/v1/units:delete', { body: { ids: made.unitIds.slice(0, 2), hard } })
    await expectPending(made, { indexed: 43, pending: 2 }, { indexed: 3, pending: 0, lag: 0, health: 'green' })
    release()
    await made.call('DELETE', '/v1/scopes/pier')
    await expect.poll(async () => (await made.status()).get('text')).toMatchObject({ pending: 0 })
    expect(await made.removedByCompaction()).toBe(0)
  })
}
