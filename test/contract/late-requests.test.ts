import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCatalog, type PrismaCatalog } from '../../src/adapters/catalog/catalog.ts'
import type { IndexFeed } from '../../src/ports/indexes/index-filter.ts'
import { createStorage, type TestStorage } from '../support/database/database.ts'
import { createFeedTimes, type FeedTimes } from '../support/database/feed-times.ts'
import { createHeldRows, type HeldRows } from '../support/database/held-rows.ts'
import { indexedUnit, put, remove } from './index-fixtures.ts'

let storage: TestStorage
let catalog: PrismaCatalog
let engine: HeldRows
let times: FeedTimes
let namespaceId: string
let namespaces = 0

beforeAll(async () => {
  storage = await createStorage()
  catalog = await openCatalog(storage.catalog, { info: () => {}, warn: () => {}, error: () => {} })
})
afterAll(async () => {
  await catalog.close()
  await storage.remove()
})
beforeEach(async () => {
  namespaces += 1
  namespaceId = `ns_${namespaces}`
  await catalog.client.namespace.create({ data: { id: namespaceId, name: namespaceId, tier: 'free', createdAt: 0 } })
  engine = createHeldRows()
  times = createFeedTimes(engine, catalog, namespaceId)
})

const heldSeqs = () => [...engine.rows(namespaceId).values()].map(({ unitId, seq }) => `${unitId}@${seq}`).sort()

describe('a request that is given up and done later than those after it', () => {
  const both = [remove('a', 2), put(indexedUnit('b', 3))]

  const expectRepaired = async (feed: IndexFeed) => {
    expect(await feed.apply(namespaceId, both, 3)).toBe(false)
    // Searches see the rest immediately, but the namespace counts as behind.
    expect(heldSeqs()).toEqual(['b@3'])
    expect(await feed.apply(namespaceId, both, 3)).toBe(false)
    expect(await feed.cursor(namespaceId)).toBe(0)
    engine.arrive()
    expect(heldSeqs()).toEqual(['a@1', 'b@3'])
    expect(await feed.apply(namespaceId, both, 3)).toBe(false)
    await times.timePasses()
    expect(await feed.apply(namespaceId, both, 3)).toBe(true)
    expect(await feed.cursor(namespaceId)).toBe(3)
    expect(heldSeqs()).toEqual(['b@3'])
  }

  it('keeps the cursor where it was until it can come no more, and is written over', async () => {
    engine.outcomes = ['late']
    const feed = times.feed('here')
    await expect(feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).rejects.toThrow('does not answer')
    await expectRepaired(feed)
  })

  it('does so too where a repetition of it succeeded', async () => {
    engine.outcomes = ['repeated']
    const feed = times.feed('here')
    expect(await feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).toBe(false)
    await expectRepaired(feed)
  })

  it('does so too where its process gave the namespace back', async () => {
    engine.outcomes = ['late']
    const feed = times.feed('here')
    await expect(feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).rejects.toThrow('does not answer')
    await times.leasesEnd()
    await feed.release(namespaceId)
    await expectRepaired(times.feed('there'))
  })

  it('does so too where its process died', async () => {
    engine.outcomes = ['killed']
    times
      .feed('dead')
      .apply(namespaceId, [put(indexedUnit('a', 1))], 1)
      .catch(() => {})
    await expect.poll(() => engine.outcomes).toEqual([])
    await times.leasesEnd()
    await expectRepaired(times.feed('next'))
  })

  it('takes the cursor back where a repair sent it', async () => {
    const feed = times.feed('here')
    expect(await feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).toBe(true)
    engine.rows(namespaceId).clear()
    engine.outcomes = ['late']
    await expect(feed.repair(namespaceId, [put(indexedUnit('a', 1))])).rejects.toThrow('does not answer')
    await expectRepaired(feed)
  })

  it('is recorded later where the catalog is away', async () => {
    const { reopen } = catalog.indexCursors
    const away = async () => {
      throw new Error('the catalog is away')
    }
    const cursors = { ...catalog.indexCursors, reopen: away as typeof reopen }
    const feed = times.feed('here', cursors)
    engine.outcomes = ['late']
    await expect(feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).rejects.toThrow('is away')
    await expect(feed.apply(namespaceId, both, 3)).rejects.toThrow('is away')
    expect(heldSeqs()).toEqual([])
    cursors.reopen = reopen
    await expectRepaired(feed)
  })

  it('is of no concern where the engine refused it', async () => {
    engine.outcomes = ['refused']
    const feed = times.feed('here')
    await expect(feed.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).rejects.toThrow('is busy')
    expect(await feed.apply(namespaceId, both, 3)).toBe(true)
    expect(heldSeqs()).toEqual(['b@3'])
  })
})
