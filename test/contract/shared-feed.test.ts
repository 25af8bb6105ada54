import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openCatalog, type PrismaCatalog } from '../../src/adapters/catalog/catalog.ts'
import { createSharedFeed } from '../../src/domain/indexing/shared-feed.ts'
import type { IndexFeed } from '../../src/ports/indexes/index-filter.ts'
import { createStorage, type TestStorage } from '../support/database/database.ts'
import { createHeldRows, type HeldRows } from '../support/database/held-rows.ts'
import { indexedUnit, put, remove } from './index-fixtures.ts'

let storage: TestStorage
let catalog: PrismaCatalog
let engine: HeldRows
let here: IndexFeed
let there: IndexFeed
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
  engine = createHeldRows()
  here = createSharedFeed(engine, catalog.indexCursors, 'here')
  there = createSharedFeed(engine, catalog.indexCursors, 'there')
  namespaceId = await createNamespace()
})

async function createNamespace(): Promise<string> {
  namespaces += 1
  const id = `ns_${namespaces}`
  await catalog.client.namespace.create({ data: { id, name: id, tier: 'free', createdAt: 0 } })
  return id
}

/** Simulates that the holder of a lease died some time ago. */
const runOut = (holder: string) =>
  catalog.client.indexCursor.updateMany({ where: { namespaceId, holder }, data: { heldUntil: 1 } })
const heldSeqs = () => [...engine.rows(namespaceId).values()].map(({ unitId, seq }) => `${unitId}@${seq}`).sort()

describe('two processes that feed one index', () => {
  it('take turns: one gets the namespace when the other has given it back', async () => {
    expect(await here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).toBe(true)
    expect(await there.apply(namespaceId, [put(indexedUnit('b', 2))], 2)).toBe(false)
    expect(await there.cursor(namespaceId)).toBe(1)
    expect(heldSeqs()).toEqual(['a@1'])
    await here.release(namespaceId)
    expect(await there.apply(namespaceId, [put(indexedUnit('b', 2))], 2)).toBe(true)
    expect(await here.cursor(namespaceId)).toBe(2)
    expect(heldSeqs()).toEqual(['a@1', 'b@2'])
  })

  it('hinder each other in one namespace only', async () => {
    const other = await createNamespace()
    expect(await here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).toBe(true)
    expect(await there.apply(other, [put(indexedUnit('a', 1))], 1)).toBe(true)
  })

  it('go on where one that died has left off', async () => {
    await here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)
    await runOut('here')
    expect(await there.apply(namespaceId, [put(indexedUnit('a', 1)), remove('a', 2)], 2)).toBe(true)
    expect(heldSeqs()).toEqual([])
  })

  it('refuse the cursor to one that was away so long that it was taken for dead, and write again what it overwrote', async () => {
    const letThrough = engine.hold()
    const late = here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)
    await expect.poll(() => catalog.client.indexCursor.count({ where: { namespaceId, holder: 'here' } })).toBe(1)
    await runOut('here')
    const taken = there.apply(namespaceId, [remove('a', 2), put(indexedUnit('b', 3))], 3)
    await expect.poll(() => catalog.client.indexCursor.count({ where: { namespaceId, holder: 'there' } })).toBe(1)
    letThrough()
    // Their order is undefined.
    await taken
    expect(await late).toBe(false)
    expect(await here.cursor(namespaceId)).toBe(0)
    await there.release(namespaceId)
    expect(await here.apply(namespaceId, [remove('a', 2), put(indexedUnit('b', 3))], 3)).toBe(false)
    expect(heldSeqs()).toEqual(['b@3'])
  })

  it('repair and reset only in their turn', async () => {
    await here.apply(namespaceId, [put(indexedUnit('a', 3))], 3)
    const letThrough = engine.hold()
    const applied = here.apply(namespaceId, [put(indexedUnit('b', 4))], 4)
    const repaired = there.repair(namespaceId, [put(indexedUnit('a', 2)), put(indexedUnit('c', 1))])
    letThrough()
    expect(await applied).toBe(true)
    await here.release(namespaceId)
    await repaired
    expect(heldSeqs()).toEqual(['a@3', 'b@4', 'c@1'])
    await there.reset(namespaceId)
    expect(await here.cursor(namespaceId)).toBe(0)
    expect(heldSeqs()).toEqual([])
  })

  it('mend what is ahead of the catalog, as after a backup of it was put back', async () => {
    await here.apply(namespaceId, [put(indexedUnit('a', 9, { text: 'of later' }))], 9)
    await here.release(namespaceId)
    await catalog.client.indexCursor.updateMany({ where: { namespaceId }, data: { cursor: 5 } })
    await there.repair(namespaceId, [put(indexedUnit('a', 4))])
    expect(heldSeqs()).toEqual(['a@4'])
  })

  it('leave the cursor where it was when the engine fails', async () => {
    engine.failing = true
    await expect(here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).rejects.toThrow('the engine takes nothing')
    expect(await here.cursor(namespaceId)).toBe(0)
    engine.failing = false
    expect(await here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)).toBe(true)
  })

  it('learn which namespaces no process is updating', async () => {
    await catalog.client.head.create({ data: { namespaceId, seq: 2, auditHash: '' } })
    expect(await here.behind()).toContain(namespaceId)
    await here.apply(namespaceId, [put(indexedUnit('a', 1))], 1)
    expect(await there.behind()).not.toContain(namespaceId)
    await here.release(namespaceId)
    expect(await there.behind()).toContain(namespaceId)
    await there.apply(namespaceId, [put(indexedUnit('b', 2))], 2)
    await there.release(namespaceId)
    expect(await here.behind()).not.toContain(namespaceId)
  })
})
