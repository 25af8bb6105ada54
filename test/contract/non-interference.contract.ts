import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Candidate, IndexedUnit, UnitIndex } from '../../src/ports/indexes/index-filter.ts'
import { shortOrLong } from '../support/amounts.ts'
import { indexedUnit, namespaceId, put, remove } from './index-fixtures.ts'

const words = fc.array(fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'the'), { maxLength: 12 })
const vector = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 })

/** One of six texts is long, so that it is ranked by its best passage. */
const text = fc
  .record({ list: words, size: fc.constantFrom(0, 0, 0, 0, 0, 700) })
  .map(({ list, size }) => [...list, ...Array.from({ length: size }, (_, i) => list[(i * i) % 7] ?? 'rest')].join(' '))

const content = fc
  .record({ text, values: vector })
  .map(
    ({ text, values }): Partial<IndexedUnit> => ({ text, vector: { model: 'm', values: Float32Array.from(values) } }),
  )

/** Independent reasons why the search of `filterFor({ filters: { modality: ['text'] } })` may not see a row. */
const hiding = fc.constantFrom<Partial<IndexedUnit>>(
  { scopeId: 'scope_closed' },
  { acl: { owner: 'you', groups: [] } },
  { acl: { owner: 'you', groups: ['ops'] } },
  { modality: 'caption' },
  { plane: 'audio' },
)

/** Hidden rows, whenever added or removed, change neither the order of visible rows nor a bit of their scores. */
export function nonInterferenceContract<I extends UnitIndex>(
  create: () => Promise<I>,
  search: (index: I) => Promise<Candidate[]>,
  runs = shortOrLong(60, 200),
): void {
  it('gives the same candidates, to the bit, whatever rows are hidden', async () => {
    const hidden = fc.record({ content, hiding, removed: fc.boolean(), at: fc.nat() })
    const property = fc.asyncProperty(
      fc.array(content, { maxLength: 20 }),
      fc.array(hidden, { maxLength: 20 }),
      async (shown, concealed) => {
        const rows = shown.map((row, i) => ({ unitId: `v${i}`, row, removed: false }))
        const alone = await create()
        await alone.feed.apply(
          namespaceId,
          rows.map(({ unitId, row }, i) => put(indexedUnit(unitId, i + 1, row))),
          rows.length,
        )

        // Hidden rows at any position among the visible ones. The visible rows also arrive in the opposite order.
        const mixed = rows.toReversed()
        concealed.forEach(({ content, hiding, removed, at }, i) => {
          mixed.splice(at % (mixed.length + 1), 0, { unitId: `h${i}`, row: { ...content, ...hiding }, removed })
        })
        const crowded = await create()
        let seq = 0
        for (const { unitId, row, removed } of mixed) {
          const changes = [put(indexedUnit(unitId, ++seq, row))]
          await crowded.feed.apply(namespaceId, removed ? [...changes, remove(unitId, ++seq, row.plane)] : changes, seq)
        }
        expect(await search(crowded)).toStrictEqual(await search(alone))
      },
    )
    await fc.assert(property, { numRuns: runs })
  })
}
