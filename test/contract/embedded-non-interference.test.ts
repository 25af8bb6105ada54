import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayRead } from '../../src/model/unit.ts'
import type { IndexClause } from '../../src/ports/indexes/index-filter.ts'
import { propertyRuns, shortOrLong } from '../support/amounts.ts'
import { manyIndexes } from '../support/index/embedded-index.ts'
import { filterFor, indexedUnit, namespaceId, put } from './index-fixtures.ts'
import { nonInterferenceContract } from './non-interference.contract.ts'

const createIndex = manyIndexes()
const asked = filterFor({ filters: { modality: ['text'] } })
const words = { text: 'gamma alpha delta alpha', topK: 10 }
const near = { plane: 'text', model: 'm', vector: Float32Array.of(1, 0.5, -0.25, 0.125) } as const

// Texts and vectors are in the same shards, so both are searched over the same rows.
describe('the embedded index of texts and vectors', () => {
  const create = async () => {
    const { texts, vectors } = await createIndex()
    return { ...texts, texts, vectors }
  }
  nonInterferenceContract(create, async ({ texts, vectors }) => [
    ...(await texts.search(words, asked, 100)),
    ...(await vectors.search(near, asked, 100)),
  ])

  it('tells which of all candidates are closed to a reader, whatever changed before', async () => {
    const group = fc.constantFrom('a', 'b', 'c', '*')
    const scope = fc.constantFrom('one', 'two', 'three')
    const acl = fc.record({
      owner: fc.constantFrom('me', 'you'),
      groups: fc.uniqueArray(group, { maxLength: 2 }).map((groups) => groups.sort()),
    })
    const row = fc.record({ acl, before: acl, scope, modality: fc.constantFrom('text' as const, 'ocr' as const) })
    const readers = fc.tuple(fc.subarray(['a', 'b']), fc.subarray(['b', 'c']))
    const property = fc.asyncProperty(fc.array(row, { maxLength: 20 }), readers, async (rows, [here, there]) => {
      const { texts, vectors } = await createIndex()
      const units = rows.map((one, i) =>
        indexedUnit(`u${i}`, i + 1, { scopeId: one.scope, acl: one.before, modality: one.modality }),
      )
      await texts.feed.apply(namespaceId, units.map(put), units.length)
      const changes = rows.map(({ acl }, i) => ({
        ...{ kind: 'readers' as const, unitId: `u${i}`, seq: units.length + i + 1, plane: 'text' as const },
        ...{ acl, updatedAt: 2000 },
      }))
      await texts.feed.apply(namespaceId, changes, 2 * units.length)
      const scopeIds = (...ids: string[]): IndexClause['scopeIds'] => new Map([['text', ids]])
      const one = { reader: { principalId: 'me', groups: here }, scopeIds: scopeIds('one') }
      const two = { reader: { principalId: 'you', groups: there }, scopeIds: scopeIds('two') }
      const closedTo = [one, two]
      const all = filterFor({ reader: 'unlimited', scopeIds: scopeIds('one', 'two') })
      const expected = rows
        .map(({ acl, scope }, i) => ({ unitId: `u${i}`, acl, scope }))
        .filter(({ scope }) => scope !== 'three')
        .map(({ unitId, acl, scope }) => [unitId, !mayRead((scope === 'one' ? one : two).reader, acl)])
      for (const found of [
        await texts.search({ text: 'alpha', topK: 10, rough: true, closedTo }, all, 100),
        await texts.search({ text: '', topK: 10, closedTo }, all, 100),
        await vectors.search({ ...near, rough: true, closedTo }, all, 100),
      ]) {
        expect(Object.fromEntries(found.map(({ unitId, isClosed }) => [unitId, isClosed]))).toEqual(
          Object.fromEntries(expected),
        )
      }
      const own = { ...all, clauses: closedTo }
      for (const { isClosed } of await texts.search({ text: 'alpha', topK: 10 }, own, 100))
        expect(isClosed).toBeUndefined()
    })
    await fc.assert(property, { numRuns: propertyRuns(shortOrLong(15, 40)) })
  })
})
