import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { snapshotPath } from '../../../src/adapters/index-embedded/shard/snapshot.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { createStorage } from '../../support/database/database.ts'
import { createFaultyIndex } from '../../support/index/faulty-index.ts'

let app: TestApp
let token: string
let now: number
const clock = { now: () => now }
beforeEach(() => {
  now = Date.now()
})

async function open(options: Parameters<typeof boot>[0] = {}): Promise<void> {
  // The answer of an ingest waits for no index that fails.
  app = await boot({ ...options, config: { ingestWaitMs: 1 }, bindings: { ...options.bindings, clock } })
  token = await app.principal({ id: 'pilot', namespace: 'harbour' })
}

async function ingest(text: string, by = token): Promise<void> {
  const body = { units: [{ text }] }
  expect((await app.call('POST', '/v1/ingest', { token: by, scope: 'quay', body })).status).toBe(200)
}

async function search(q: string, by = token) {
  const { status, body } = await app.call('POST', '/v1/search', { token: by, body: { q } })
  expect(status).toBe(200)
  return { hits: body.hits.length as number, ...(body.trace as { degraded: string[]; seq: number; index_seq: number }) }
}

/** The health of each plane, in the catalog's statistics and in the compaction's. */
async function planes(by = token): Promise<string[]> {
  const [stats, compaction] = await Promise.all(
    ['/v1/catalog/stats', '/v1/compaction'].map(async (path) => (await app.call('GET', path, { token: by })).body),
  )
  const healthOf = (body: { planes: { health: string }[] }) => body.planes.map(({ health }) => health)
  expect(healthOf(stats)).toEqual(healthOf(compaction))
  return healthOf(stats)
}

const health = async () => (await app.call('GET', '/v1/health')).body
const green = ['green', 'green', 'green', 'green']

describe('a namespace whose index cannot be read', () => {
  let obstacle: string
  beforeEach(async () => {
    // An index of its own, in its data directory.
    await open({ storage: await createStorage() })
    const { dataDir } = app.storage
    const known = await app.runtime.bindings.catalog.access.namespace('harbour')
    obstacle = snapshotPath(join(dataDir, 'index'), known?.namespace.id ?? '')
    // Reading it fails as it does on a broken disk.
    mkdirSync(obstacle, { recursive: true })
  })
  afterEach(() => app.close())

  test('is red after half a minute, ends nothing of others, and recovers by itself', async () => {
    const other = await app.principal({ id: 'baker', namespace: 'bakery' })
    await ingest('a lantern')
    // It waits for the first attempt.
    expect((await search('lantern')).degraded).toContain('text')
    expect([(await planes())[0], (await health()).status]).toEqual(['green', 'ok'])
    now += 29_000
    expect([(await planes())[0], (await health()).status]).toEqual(['yellow', 'ok'])
    now += 2_000
    expect(await planes()).toEqual(['red', 'green', 'green', 'green'])
    const { status, bindings } = await health()
    expect([status, bindings.vector_index]).toEqual(['degraded', Array(4).fill('embedded (down)')])

    await ingest('a loaf', other)
    await expect.poll(async () => (await search('loaf', other)).hits).toBe(1)
    expect([(await search('loaf', other)).degraded, await planes(other)]).toEqual([[], green])

    rmdirSync(obstacle)
    await ingest('another lantern')
    await expect.poll(async () => (await search('lantern')).hits).toBe(2)
    await expect.poll(() => planes()).toEqual(green)
    expect((await health()).status).toBe('ok')
  })
})

describe('an index that answers and takes no change', () => {
  let index: ReturnType<typeof createFaultyIndex>
  let failures: number
  beforeEach(async () => {
    failures = 0
    index = createFaultyIndex()
    const { vectors, texts } = index
    const apply: typeof texts.feed.apply = async (...change) =>
      texts.feed.apply(...change).catch((error: unknown) => {
        failures += 1
        throw error
      })
    await open({ bindings: { vectors, texts: { ...texts, feed: { ...texts.feed, apply } } } })
  })
  afterEach(async () => {
    await app.close()
    await index.close()
  })

  test('counts as down, until it takes changes again', async () => {
    index.faults.texts.applyFails = true
    await ingest('a lantern')
    await expect.poll(() => failures).toBeGreaterThan(0)
    expect([(await planes())[0], (await health()).status]).toEqual(['green', 'ok'])
    now += 31_000
    expect(await planes()).toEqual(['red', 'green', 'green', 'green'])
    const { status, bindings } = await health()
    expect([status, bindings.vector_index]).toEqual(['degraded', Array(4).fill('embedded')])
    index.faults.texts.applyFails = false
    await expect.poll(() => planes()).toEqual(green)
    expect([(await health()).status, (await search('lantern')).hits]).toEqual(['ok', 1])
  })
})
