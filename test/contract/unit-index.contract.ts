import { describe, expect, it } from 'vitest'
import type { Candidate, IndexFilter, UnitIndex } from '../../src/ports/indexes/index-filter.ts'
import { filterFor, indexedUnit, namespaceId, put, readers, remove } from './index-fixtures.ts'

export interface IndexUnderTest<I extends UnitIndex> {
  /** A new, empty index. */
  create: () => Promise<I>
  /** Searches all fixture Units that match the filter. */
  searchAll: (index: I, filter: IndexFilter) => Promise<Candidate[]>
  /** Whether a removed Unit stays removed after a late older change; other indexes leave that to the catalog. */
  remembersRemovals?: boolean
}

/** The contract of both index ports for applying changes. */
export function unitIndexContract<I extends UnitIndex>(tested: IndexUnderTest<I>): void {
  const { create, searchAll, remembersRemovals = true } = tested
  const found = async (index: I, filter = filterFor()) => (await searchAll(index, filter)).map((c) => c.unitId).sort()

  describe('applying changes', () => {
    it('starts empty, with cursor 0', async () => {
      const index = await create()
      expect(await index.feed.cursor(namespaceId)).toBe(0)
      expect(await found(index)).toEqual([])
      expect(await index.feed.manifest(namespaceId, 'text')).toEqual(new Map())
      await index.ping()
    })

    it('finds what was applied, and moves the cursor of that namespace alone', async () => {
      const index = await create()
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 1)), put(indexedUnit('u2', 2))], 5)
      expect(await index.feed.cursor(namespaceId)).toBe(5)
      expect(await index.feed.cursor('ns_2')).toBe(0)
      expect(await found(index)).toEqual(['u1', 'u2'])
      expect(await found(index, filterFor({ namespaceId: 'ns_2' }))).toEqual([])
    })

    it('is idempotent, and ignores changes at or below the cursor', async () => {
      const index = await create()
      const changes = [put(indexedUnit('u1', 1)), remove('u1', 2), put(indexedUnit('u2', 3))]
      await index.feed.apply(namespaceId, changes, 3)
      await index.feed.apply(namespaceId, changes, 3)
      await index.feed.apply(namespaceId, [put(indexedUnit('u3', 2))], 2)
      expect(await found(index)).toEqual(['u2'])
      expect(await index.feed.cursor(namespaceId)).toBe(3)
    })

    it('takes nothing that follows what it does not have, and says so', async () => {
      const index = await create()
      const apply = (unitId: string, seq: number, after: number) =>
        index.feed.apply(namespaceId, [put(indexedUnit(unitId, seq))], seq, after)
      expect(await apply('u1', 1, 0)).toBe(true)
      expect(await apply('u3', 3, 2)).toBe(false)
      expect(await index.feed.cursor(namespaceId)).toBe(1)
      expect(await found(index)).toEqual(['u1'])
      expect(await apply('u2', 2, 1)).toBe(true)
      expect(await found(index)).toEqual(['u1', 'u2'])
    })

    it('keeps one row per Unit, with its latest columns', async () => {
      const index = await create()
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 1, { docId: 'old' }))], 1)
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 2, { docId: 'new' }))], 2)
      expect(await found(index)).toEqual(['u1'])
      expect(await found(index, filterFor({ filters: { docId: ['old'] } }))).toEqual([])
      expect(await found(index, filterFor({ filters: { docId: ['new'] } }))).toEqual(['u1'])
    })

    it('gives a Unit other readers and keeps all else, if it takes them alone', async () => {
      const index = await create()
      if (index.feed.held === undefined) return
      const before = indexedUnit('u1', 1, { acl: { owner: 'ann', groups: ['eng'] }, docId: 'd', metadata: { a: 1 } })
      await index.feed.apply(namespaceId, [put(before), put(indexedUnit('u2', 2))], 2)
      const to = (seq: number, groups: string[]) => readers('u1', seq, { owner: 'bob', groups })
      await index.feed.apply(namespaceId, [to(3, ['law'])], 3)
      const by = (groups: string[], filters = {}) => filterFor({ reader: { principalId: 'me', groups }, filters })
      expect(await found(index, by(['eng']))).toEqual(['u2'])
      expect(await found(index, by(['law'], { docId: ['d'], metadata: { a: 1 } }))).toEqual(['u1'])
      expect(await index.feed.held(namespaceId, [{ unitId: 'u1', plane: 'text' }])).toEqual(new Map([['u1', 3]]))
      // Twice at a time, and once after it was put whole.
      await index.feed.apply(namespaceId, [to(4, ['eng']), to(5, ['hr']), put({ ...before, seq: 6 }), to(7, ['it'])], 7)
      expect(await found(index, by(['it'], { docId: ['d'] }))).toEqual(['u1'])
      expect(await found(index, by(['eng', 'law', 'hr']))).toEqual(['u2'])
      await index.feed.apply(namespaceId, [remove('u1', 8)], 8)
      expect(await found(index, by(['it']))).toEqual(['u2'])
    })

    it('removes, and takes a Unit back that is put again later', async () => {
      const index = await create()
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 1)), remove('u1', 2), remove('unknown', 3)], 3)
      expect(await found(index)).toEqual([])
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 4))], 4)
      expect(await found(index)).toEqual(['u1'])
    })

    it('moves a Unit between planes', async () => {
      const index = await create()
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 1))], 1)
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 2, { plane: 'audio' }))], 2)
      expect(await found(index)).toEqual([])
      expect(await index.feed.manifest(namespaceId, 'text')).toEqual(new Map())
      expect(await index.feed.manifest(namespaceId, 'audio')).toEqual(new Map([['u1', 2]]))
    })

    it('stays right through many updates and removals', async () => {
      const index = await create()
      for (let seq = 1; seq <= 200; seq++) {
        const unitId = `u${seq % 7}`
        await index.feed.apply(namespaceId, [seq % 5 === 0 ? remove(unitId, seq) : put(indexedUnit(unitId, seq))], seq)
      }
      // The last seven changes include each Unit once; 195 and 200 removed u6 and u4.
      expect(await found(index)).toEqual(['u0', 'u1', 'u2', 'u3', 'u5'])
    })
  })

  describe('manifest and repair', () => {
    it('lists what is held of a plane, with or without text and vector', async () => {
      const index = await create()
      const bare = indexedUnit('bare', 2, { text: null, vector: null })
      const audio = indexedUnit('audio', 3, { plane: 'audio' })
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 1)), put(bare), put(audio)], 3)
      expect(await index.feed.manifest(namespaceId, 'text')).toEqual(
        new Map([
          ['u1', 1],
          ['bare', 2],
        ]),
      )
      expect(await index.feed.manifest('ns_2', 'text')).toEqual(new Map())
    })

    it('repairs below the cursor and leaves it where it is', async () => {
      const index = await create()
      await index.feed.apply(namespaceId, [put(indexedUnit('orphan', 1))], 10)
      await index.feed.repair(namespaceId, [put(indexedUnit('lost', 2)), remove('orphan', 1)])
      expect(await found(index)).toEqual(['lost'])
      expect(await index.feed.cursor(namespaceId)).toBe(10)
    })

    it('does not repair with what is older than what it holds', async () => {
      const index = await create()
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 1)), put(indexedUnit('u1', 3))], 3)
      await index.feed.repair(namespaceId, [remove('u1', 2)])
      expect(await index.feed.manifest(namespaceId, 'text')).toEqual(new Map([['u1', 3]]))
    })

    it.runIf(remembersRemovals)('does not resurrect a removed Unit', async () => {
      const index = await create()
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 1)), remove('u1', 2)], 2)
      await index.feed.repair(namespaceId, [put(indexedUnit('u1', 1))])
      expect(await found(index)).toEqual([])
    })
  })

  describe('reset', () => {
    it('forgets all of a namespace, its cursor too, and nothing of another', async () => {
      const index = await create()
      await index.feed.apply(
        namespaceId,
        [put(indexedUnit('u1', 7)), put(indexedUnit('gone', 8)), remove('gone', 9)],
        9,
      )
      await index.feed.apply('ns_2', [put(indexedUnit('u2', 3))], 3)
      await index.feed.reset(namespaceId)
      expect(await index.feed.cursor(namespaceId)).toBe(0)
      expect(await index.feed.manifest(namespaceId, 'text')).toEqual(new Map())
      expect(await found(index)).toEqual([])
      expect(await index.feed.cursor('ns_2')).toBe(3)
      expect(await found(index, filterFor({ namespaceId: 'ns_2' }))).toEqual(['u2'])
    })

    it('starts over: what was applied or removed before can come again', async () => {
      const index = await create()
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 1)), put(indexedUnit('u2', 2)), remove('u2', 3)], 3)
      await index.feed.reset(namespaceId)
      const acl = { owner: 'me', groups: [] }
      await index.feed.apply(namespaceId, [put(indexedUnit('u2', 1, { acl })), put(indexedUnit('u3', 2))], 2)
      expect(await found(index)).toEqual(['u2', 'u3'])
      expect(await found(index, filterFor({ reader: { principalId: 'you', groups: [] } }))).toEqual(['u3'])
      expect(await index.feed.cursor(namespaceId)).toBe(2)
    })

    it('of a namespace that holds nothing does nothing', async () => {
      const index = await create()
      await index.feed.reset(namespaceId)
      await index.feed.reset(namespaceId)
      expect(await index.feed.cursor(namespaceId)).toBe(0)
      await index.feed.apply(namespaceId, [put(indexedUnit('u1', 1))], 1)
      expect(await found(index)).toEqual(['u1'])
    })
  })
}
