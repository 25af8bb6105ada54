import { expect, test } from 'vitest'
import { TextScratch } from '../../src/adapters/index-embedded/search/rank-text.ts'
import { searchText } from '../../src/adapters/index-embedded/search/search.ts'
import { VisibleCache } from '../../src/adapters/index-embedded/shard/visible.ts'
import { filterFor, indexedUnit } from '../contract/index-fixtures.ts'
import { shardOf } from '../support/index/shards.ts'

const words = 'ferry ferries harbour the of storm stormy night in 東京 harbours über uber c'.split(' ')

/** Words in an order that only the seed decides, some in paragraphs of their own. */
function textOf(seed: number, length: number): string {
  let state = seed * 2_654_435_761
  return Array.from({ length }, () => {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x6d2b79f5
    const pick = (state >>> 8) % (words.length + 2)
    return words[pick] ?? '\n\n'
  }).join(' ')
}

// Among more than 5,000 rows only the likely ones are read.
test.each([120, 5200])(
  'a thread that has searched the same %i rows before finds the same, with the same scores',
  (rows) => {
    const [long, longest] = rows < 1000 ? [40, 30] : [1000, 8]
    const shard = shardOf(
      Array.from({ length: rows }, (_, i) =>
        indexedUnit(`u${i}`, i + 1, { text: textOf(i + 1, i % long === 0 ? 700 : 5 + (i % longest)) }),
      ),
    )
    const scratchOf = () => ({ thread: 0, text: new TextScratch(), visible: new VisibleCache() })
    const used = scratchOf()
    const filter = filterFor({})
    const queries = [
      'ferry harbour',
      'stormy night in the harbour',
      'the of',
      'harbr',
      '東京 ferry',
      'über ferries',
      'c c',
    ]
    for (const topK of [10, 50]) {
      for (const text of [...queries, ...queries]) {
        const found = searchText(shard, { text, topK }, filter, 200, used).found(null)
        expect(found).toEqual(searchText(shard, { text, topK }, filter, 200, scratchOf()).found(null))
        expect(found.scores.length).toBeGreaterThan(0)
      }
    }
  },
)
