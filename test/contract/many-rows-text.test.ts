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
  return (query: readonly string[], rough = false) =>
    texts.search({ text: query.join(' '), topK: 10, rough }, filterFor(), 200)
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
  expect(found.slice(0, 2)).toEqual(['pair', 'part'])
  expect(found.indexOf('apart')).toBeGreaterThan(2)
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
