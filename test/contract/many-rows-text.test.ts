import { expect, it } from 'vitest'
import { manyIndexes } from '../support/index/embedded-index.ts'
import { filterFor, indexedUnit, namespaceId, put } from './index-fixtures.ts'

const createIndex = manyIndexes()

/** More than the index reads word by word. */
const size = 5200
const syllables = ['ba', 'co', 'du', 'fe', 'gi', 'ho', 'ju', 'ka', 'lo', 'mi', 'ne', 'pa']

/** Words in which a few are common, the same in each run. */
function words(count: number, seed: number): string[] {
  let state = seed * 2654435761 + 1
  const random = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
  return Array.from({ length: count }, () => {
    const rank = Math.floor(1500 ** random())
    return [rank, rank * 7, rank * 31].map((part) => syllables[part % syllables.length]).join('')
  })
}

const shown = Array.from({ length: size }, (_, i) =>
  indexedUnit(`v${i}`, i + 1, { text: words(i % 400 === 7 ? 900 : 4 + (i % 9), i).join(' '), vector: null }),
)
const queries = Array.from({ length: 20 }, (_, i) => words(2 + (i % 3), size + i))

async function indexOf(units: readonly ReturnType<typeof indexedUnit>[]) {
  const { texts } = await createIndex()
  await texts.feed.apply(
    namespaceId,
    units.map((unit, i) => put({ ...unit, seq: i + 1 })),
    units.length,
  )
  return (query: readonly string[], rough = false, limit = 200) =>
    texts.search({ text: query.join(' '), topK: 10, rough }, filterFor(), limit)
}

it('counts common words, pairs of words and parts of words among many rows', async () => {
  const common = words(400, size).slice(0, 2).join(' ')
  const text = (id: string, text: string) => indexedUnit(id, 1, { text, vector: null })
  const rare = Array.from({ length: 210 }, (_, i) => text(`rare${i}`, `zephyr dulcimer ${words(8, i).join(' ')}`))
  const search = await indexOf([
    ...shown,
    ...rare,
    text('pair', `${words(4, 1).join(' ')} zephyr dulcimer ${common}`),
    text('apart', `dulcimer ${words(4, 1).join(' ')} zephyr ${common}`),
    text('part', `${words(4, 1).join(' ')} zephyrs dulcimers ${common}`),
  ])
  const found = (await search(['zephyr', 'dulcimer', common])).map(({ unitId }) => unitId)
  expect(found[0]).toBe('pair')
  // Without pairs of words, those apart would precede: their id comes first.
  expect(found.filter((id) => ['pair', 'apart', 'part'].includes(id))).toEqual(['pair', 'apart', 'part'])
})

it('ranks many rows to the bit as it would without hidden ones', async () => {
  const alone = await indexOf(shown)
  const crowded = await indexOf(
    shown.flatMap((unit, i) => {
      const text = words(10, 2 * size + i).join(' ')
      const hidden = indexedUnit(`h${i}`, 1, { text, acl: { owner: 'you', groups: [] }, vector: null })
      return i % 3 === 0 ? [hidden, unit] : [unit]
    }),
  )
  for (const query of queries) {
    expect(await crowded(query)).toStrictEqual(await alone(query))
    expect(await crowded(query, true)).toStrictEqual(await alone(query, true))
  }
})

/** More than a rough search reads exactly. */
const roughSize = 20_100

it('finds the best few roughly as it does when it looks deeper', async () => {
  const text = (id: string, text: string) => indexedUnit(id, 1, { text, vector: null })
  const some = (count: number, id: string, own: string, others: number) =>
    Array.from({ length: count }, (_, i) => text(`${id}${i}`, `${own} ${words(others, i).join(' ')}`))
  const search = await indexOf([
    ...Array.from({ length: roughSize }, (_, i) => text(`r${i}`, words(3 + (i % 5), i).join(' '))),
    // One word often scores more than both once in a longer text, until rows count by their share of the words.
    ...some(30, 'often', 'zephyr zephyr zephyr zephyr', 2),
    ...some(12, 'both', 'zephyr dulcimer', 8),
    ...some(480, 'other', 'dulcimer', 2),
  ])
  const best = await search(['zephyr', 'dulcimer'], true, 10)
  expect(best.filter(({ unitId }) => unitId.startsWith('both'))).toHaveLength(10)
  for (const query of queries) {
    const deep = await search(query, true)
    const few = await search(query, true, 10)
    expect(few).toHaveLength(10)
    for (const [i, { score }] of few.entries()) expect(score).toBeCloseTo(deep[i]?.score ?? 0, 9)
  }
})
