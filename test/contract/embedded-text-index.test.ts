import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEmbeddedIndex } from '../../src/adapters/index-embedded/embedded-index.ts'
import { planes } from '../../src/model/unit.ts'
import type { IndexFilter } from '../../src/ports/index-filter.ts'
import { filterFor, indexedUnit, namespaceId, openScope, put } from './index-fixtures.ts'
import { textIndexContract } from './text-index.contract.ts'

const create = async () => createEmbeddedIndex().texts
textIndexContract('embedded', create)

/** Words that are their own stems; `the` is a stop word. */
const vocabulary = ['alpha', 'beta', 'gamma', 'delta', 'omega', 'the']
const everywhere: IndexFilter['scopeIds'] = new Map(planes.map((plane) => [plane, [openScope]]))

describe('the embedded text index', () => {
  it('scores by the BM25 formula over the visible rows of all planes, after updates too', async () => {
    const words = fc.array(fc.constantFrom(...vocabulary), { maxLength: 15 })
    const asked = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 15 })
    const query = fc.oneof(asked, fc.constant<string[]>(['the']))
    const row = fc.record({ words, before: words, plane: fc.constantFrom(...planes), mine: fc.boolean() })
    const property = fc.asyncProperty(fc.array(row, { maxLength: 30 }), query, async (rows, asked) => {
      const index = await create()
      const outdated = rows.map(({ before }, i) => indexedUnit(`u${i}`, i + 1, { text: before.join(' ') }))
      const units = rows.map(({ words, plane, mine }, i) => {
        const acl = { owner: mine ? 'me' : 'you', groups: [] }
        return indexedUnit(`u${i}`, rows.length + i + 1, { text: words.join(' '), plane, acl })
      })
      await index.apply(namespaceId, [...outdated, ...units].map(put), 2 * rows.length)
      const found = await index.search(asked.join(' '), filterFor({ scopeIds: everywhere }), 100)
      const visible = rows.flatMap(({ words, mine }, i) => (mine ? [{ unitId: `u${i}`, words }] : []))
      const expected = reference(asked, visible)
      expect(found.map((c) => c.unitId).sort()).toEqual([...expected.keys()].sort())
      for (const { unitId, score } of found) expect(score).toBeCloseTo(expected.get(unitId) ?? Number.NaN, 10)
      found.forEach((candidate, i) => {
        const next = found[i + 1]
        if (next === undefined) return
        const tie = candidate.score === next.score && candidate.unitId < next.unitId
        expect(candidate.score > next.score || tie).toBe(true)
      })
    })
    await fc.assert(property, { numRuns: 300 })
  })

  it('counts a word as often as the query says it', async () => {
    const index = await create()
    await index.apply(namespaceId, [put(indexedUnit('u', 1, { text: 'alpha beta' }))], 1)
    const score = async (query: string) => (await index.search(query, filterFor(), 1))[0]?.score ?? 0
    expect(await score('alpha alphas')).toBeCloseTo(2 * (await score('alpha')), 12)
  })

  it('stems by Porter2, not by the older Porter', async () => {
    // https://snowballstem.org/algorithms/english/stemmer.html; the last three pairs part the two algorithms.
    const forms = [
      ['consignment', 'consigning'],
      ['knocked', 'knocks'],
      ['relational', 'relate'],
      ['happiness', 'happy'],
      ['skies', 'sky'],
      ['abruptly', 'abrupt'],
      ['dying', 'die'],
    ] as const
    const index = await create()
    for (const [text, query] of forms) expect(index.highlights(query, text)).toEqual([{ start: 0, end: text.length }])
    expect(index.highlights('generic', 'generously')).toEqual([])
  })

  it('reads kana, Hangul and width forms alike, composed or not', async () => {
    const index = await create()
    for (const [query, text] of [
      ['データベース', 'ﾃﾞｰﾀﾍﾞｰｽ'],
      ['データベース', 'データベース'.normalize('NFD')],
      ['한국어', '한국어'.normalize('NFD')],
      ['ＲＡＧ', 'rag'],
      ['ΛΟΓΟΣ', 'λόγος'],
      ['straße', 'STRASSE'.toLowerCase().replace('ss', 'ß')],
    ] as const) {
      expect(index.highlights(query, text)).toEqual([{ start: 0, end: text.length }])
    }
    expect(index.highlights('か', 'が')).toEqual([])
  })

  it('takes any number of combining marks in its stride', async () => {
    const index = await create()
    const text = `é${'\u0301\u0316'.repeat(100_000)} end`
    expect(index.highlights('end', text)).toEqual([{ start: text.length - 3, end: text.length }])
  }, 2000)

  it('marks real places in any text, and never throws', async () => {
    const index = await create()
    const text = fc.string({ unit: 'binary', maxLength: 40 })
    const property = fc.property(text, text, (query, body) => {
      let previous = 0
      for (const { start, end } of index.highlights(`${query} ${body}`, body)) {
        expect(start).toBeGreaterThanOrEqual(previous)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(body.length)
        previous = end
      }
    })
    fc.assert(property, { numRuns: 500 })
  })
})

/** BM25 as it is written down, with no index: unitId -> score of the rows that hold a word of the query. */
function reference(asked: string[], rows: { unitId: string; words: string[] }[]): Map<string, number> {
  const isStop = (word: string) => word === 'the'
  const stopsOnly = asked.every(isStop)
  const keep = (words: string[]) => words.filter((word) => isStop(word) === stopsOnly)
  const fields = rows.map(({ unitId, words }) => ({ unitId, words: keep(words) })).filter((f) => f.words.length > 0)
  const n = fields.length
  const avgdl = fields.reduce((sum, f) => sum + f.words.length, 0) / n
  const scores = new Map<string, number>()
  for (const { unitId, words } of fields) {
    for (const term of keep(asked)) {
      const tf = words.filter((word) => word === term).length
      if (tf === 0) continue
      const df = fields.filter((f) => f.words.includes(term)).length
      const idf = Math.log(1 + (n - df + 0.5) / (df + 0.5))
      const score = (idf * tf * 2.2) / (tf + 1.2 * (0.25 + (0.75 * words.length) / avgdl))
      scores.set(unitId, (scores.get(unitId) ?? 0) + score)
    }
  }
  return scores
}
