import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MetadataCondition, matches } from '../../src/model/search.ts'
import type { Metadata } from '../../src/model/unit.ts'
import type { UnitIndex } from '../../src/ports/indexes/index-filter.ts'
import { filterFor, indexedUnit, namespaceId, put } from './index-fixtures.ts'
import type { IndexUnderTest } from './unit-index.contract.ts'

const values: Metadata[] = [
  { key: 'true' },
  { key: true },
  { key: 1 },
  { key: '1' },
  { key: ['1', 'true'] },
  { key: [] },
  { key: '' },
  { key: 0 },
  { key: -0.5 },
  { key: 1e21 },
  { key: '2026-11-21' },
  { key: ['["key","true"]', 'a"b\\c'] },
  { key: 'É', other: true },
  { other: ['true', '1'] },
  { constructor: 'true', 'key"': 1 },
  {},
]

const conditions: MetadataCondition[] = [
  'true',
  true,
  false,
  1,
  '1',
  0,
  '',
  'a"b\\c',
  'É',
  'E\u0301',
  ['true', 1],
  [true, '1'],
  [],
  { gte: 0 },
  { lte: 0 },
  { gte: -1, lte: 1 },
  { gte: 2, lte: 1 },
  { gte: 1e20 },
  {},
]

/** The contract of both index ports for metadata filters: the same result as `matches`, for every type. */
export function metadataContract<I extends UnitIndex>({ create, searchAll }: IndexUnderTest<I>): void {
  const keys = ['key', 'other', 'key"', 'constructor', 'unheard-of']
  const known = (metadata: Metadata) => ({ ...indexedUnit('', 1), metadata })

  async function expectMatches(index: I, units: ReadonlyMap<string, Metadata>, key: string, of: MetadataCondition) {
    const filters = { metadata: { [key]: of } }
    const found = (await searchAll(index, filterFor({ filters }))).map((candidate) => candidate.unitId).sort()
    const expected = [...units].filter(([, metadata]) => matches(filters, known(metadata))).map(([unitId]) => unitId)
    expect(found, JSON.stringify(filters)).toEqual(expected.sort())
  }

  describe('metadata', () => {
    it('is matched type for type: strings, numbers, booleans, lists, ranges', async () => {
      const index = await create()
      const units = new Map(values.map((metadata, i) => [`u${i}`, metadata]))
      const changes = [...units].map(([unitId, metadata], i) => put(indexedUnit(unitId, i + 1, { metadata })))
      await index.feed.apply(namespaceId, changes, changes.length)
      for (const key of keys) for (const condition of conditions) await expectMatches(index, units, key, condition)
    })

    it('stays right through many updates, when most rows are dead and new ones take their place', async () => {
      const drawn = fc.array(fc.array(fc.nat(values.length - 1), { minLength: 40, maxLength: 40 }), {
        minLength: 3,
        maxLength: 6,
      })
      const property = fc.asyncProperty(drawn, fc.constantFrom(...conditions), async (rounds, condition) => {
        const index = await create()
        const units = new Map<string, Metadata>()
        let seq = 0
        for (const round of rounds) {
          const changes = round.map((value, i) => {
            const metadata = values[value] ?? {}
            units.set(`u${i}`, metadata)
            return put(indexedUnit(`u${i}`, ++seq, { metadata }))
          })
          await index.feed.apply(namespaceId, changes, seq)
          await expectMatches(index, units, 'key', condition)
        }
        for (const key of keys) await expectMatches(index, units, key, condition)
      })
      await fc.assert(property, { numRuns: 15 })
    })
  })
}
