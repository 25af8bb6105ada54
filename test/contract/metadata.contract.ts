import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filtersInput } from '../../src/domain/input/filters.ts'
import { matches } from '../../src/model/filter.ts'
import type { IndexedUnit, UnitIndex } from '../../src/ports/indexes/index-filter.ts'
import { columnsOfUnit, isMet, metadata, type Sent, sentFilter } from '../support/index/filters.ts'
import { filterFor, indexedUnit, namespaceId, put } from './index-fixtures.ts'
import type { IndexUnderTest } from './unit-index.contract.ts'

/**
 * The contract of both index ports for filters: what an index finds is what `matches` and the plain meaning say. An engine
 * that cannot tell finds more, and says so, and the catalog decides.
 */
export function metadataContract<I extends UnitIndex>({ create, searchAll }: IndexUnderTest<I>): void {
  const drawn = fc.record({ metadata, columns: columnsOfUnit, created: fc.constantFrom(500, 1000, 1500) })

  const unitsOf = (seed: number, count: number, seq: number): IndexedUnit[] =>
    fc
      .sample(drawn, { seed, numRuns: count })
      .map(({ metadata, columns, created }, i) =>
        indexedUnit(`u${i}`, seq + i, { ...columns, metadata, createdAt: created, updatedAt: 1500 }),
      )

  async function expectMatches(index: I, units: readonly IndexedUnit[], sent: Sent) {
    const filter = filtersInput.parse(sent)
    const expected = units.filter((unit) => isMet(sent, unit)).map(({ unitId }) => unitId)
    const inMemory = units.filter((unit) => matches(filter, unit)).map(({ unitId }) => unitId)
    expect(inMemory, JSON.stringify(sent)).toEqual(expected)
    const found = (await searchAll(index, filterFor({ filters: sent }))).map(({ unitId }) => unitId)
    const wrong = units.filter(({ unitId }) => found.includes(unitId) !== expected.includes(unitId))
    const missed = wrong.filter(({ unitId }) => expected.includes(unitId))
    const isExact = index.isExact?.(filter) ?? true
    expect(
      (isExact ? wrong : missed).map(({ unitId, metadata }) => [unitId, metadata]),
      JSON.stringify(sent),
    ).toEqual([])
    return { found: found.length, expected: expected.length }
  }

  describe('filters', () => {
    it('mean the same in the index, in memory and in plain words', async () => {
      const index = await create()
      const units = unitsOf(1, 40, 1)
      await index.feed.apply(namespaceId, units.map(put), units.length)
      let told = 0
      const property = fc.asyncProperty(sentFilter, async (sent) => {
        const { expected } = await expectMatches(index, units, sent)
        if (expected > 0 && expected < units.length) told += 1
      })
      await fc.assert(property, { numRuns: 200 })
      expect(told).toBeGreaterThan(40)
    })

    it('stay right through many updates, when most rows are dead and new ones take their place', async () => {
      const index = await create()
      for (let round = 0; round < 4; round++) {
        const units = unitsOf(round, 40, 1 + 40 * round)
        await index.feed.apply(namespaceId, units.map(put), 40 * (round + 1))
        const property = fc.asyncProperty(sentFilter, async (sent) => void (await expectMatches(index, units, sent)))
        await fc.assert(property, { numRuns: 15 })
      }
    })
  })
}
