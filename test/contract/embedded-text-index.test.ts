import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { planes } from '../../src/model/unit.ts'
import type { Candidate, IndexClause } from '../../src/ports/indexes/index-filter.ts'
import { propertyRuns, shortOrLong } from '../support/amounts.ts'
import { manyIndexes, openIndex } from '../support/index/embedded-index.ts'
import { referenceRanking } from '../support/index/reference-ranking.ts'
import { tempDir } from '../support/temp-dir.ts'
import { worked } from '../support/waited.ts'
import { filterFor, indexedUnit, namespaceId, openScope, put, remove } from './index-fixtures.ts'
import { textIndexContract } from './text-index.contract.ts'

const createIndex = manyIndexes()
const create = async () => (await createIndex()).texts
// That hidden rows change nothing is tested on texts and vectors at once: embedded-non-interference.test.ts
textIndexContract('embedded', create, { runs: 0 })

/** Words that are their own stems in English; `the` is a stop word. */
const vocabulary = ['alpha', 'alphab', 'gamma', 'delta', 'omega', 'ox', 'the']
const everywhere: IndexClause['scopeIds'] = new Map(planes.map((plane) => [plane, [openScope]]))

describe('the embedded text index', () => {
  it('ranks as it is written down, over the visible rows of all planes, after updates too', async () => {
    const paragraph = fc.array(fc.constantFrom(...vocabulary), { maxLength: 9 })
    const paragraphs = fc.array(paragraph, { maxLength: 2 })
    const asked = fc.array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 6 })
    const query = fc.oneof(asked, fc.constant<string[]>(['the']))
    const row = fc.record({ paragraphs, before: paragraphs, plane: fc.constantFrom(...planes), mine: fc.boolean() })
    const rows = fc.array(row, { maxLength: 40 })
    const property = fc.asyncProperty(rows, query, fc.constantFrom(5, 50), async (rows, asked, topK) => {
      const index = await create()
      const text = (paragraphs: string[][]) => paragraphs.map((words) => words.join(' ')).join('\n \n')
      const outdated = rows.map(({ before }, i) => indexedUnit(`u${i}`, i + 1, { text: text(before), language: 'en' }))
      const units = rows.map(({ paragraphs, plane, mine }, i) => {
        const acl = { owner: mine ? 'me' : 'you', groups: [] }
        return indexedUnit(`u${i}`, rows.length + i + 1, { text: text(paragraphs), language: 'en', plane, acl })
      })
      await index.feed.apply(namespaceId, [...outdated, ...units].map(put), 2 * rows.length)
      const found = await index.search({ text: asked.join(' '), topK }, filterFor({ scopeIds: everywhere }), 200)
      const visible = rows.flatMap(({ paragraphs, mine }, i) => (mine ? [{ id: `u${i}`, paragraphs }] : []))
      const expected = referenceRanking(asked, visible, topK)
      expect(found.map((c) => c.unitId).sort()).toEqual([...expected.keys()].sort())
      for (const { unitId, score } of found) expect(score).toBeCloseTo(expected.get(unitId) ?? Number.NaN, 9)
      found.forEach((candidate, i) => {
        const next = found[i + 1]
        if (next !== undefined) expect(candidate.score).toBeGreaterThanOrEqual(next.score)
      })
    })
    await fc.assert(property, { numRuns: propertyRuns(shortOrLong(30, 80)) })
  })

  it('finds Units of earlier candidates, though they have other numbers since', async () => {
    const folder = tempDir('index')
    onTestFinished(folder.remove)
    const { texts: index, close } = openIndex(folder.path)
    const ids = Array.from({ length: 100 }, (_, i) => `u${i}`)
    await index.feed.apply(
      namespaceId,
      ids.map((id, i) => put(indexedUnit(id, i + 1, { docId: `a${i}` }))),
      100,
    )
    const docsOf = async (among: readonly Candidate[]) => {
      const [docs] = (await index.values?.(namespaceId, { fields: ['docId'], conditions: [], among })) ?? []
      return among.map((_, i) => docs?.values[docs.places[i] ?? -1])
    }
    const found = await index.search({ text: 'alpha', topK: 10 }, filterFor(), 200)
    const docs = found.map(({ unitId }) => `a${unitId.slice(1)}`)
    expect(await docsOf(found)).toEqual(docs)
    const first = found.slice(0, 51)
    // More than half of the rows die, so the others move together.
    await index.feed.apply(
      namespaceId,
      first.map(({ unitId }, i) => remove(unitId, 101 + i)),
      151,
    )
    expect(await docsOf(found)).toEqual(docs.map((docId, i) => (i > 50 ? docId : undefined)))
    await close()
  })

  describe('a long text', () => {
    const filler = (words: number) => Array.from({ length: words }, (_, i) => `filler${i % 40}`).join(' ')
    const within = (text: string, before: number, after: number) => `${filler(before)} ${text} ${filler(after)}`
    const answer = 'the lantern above the harbour gate burns green'
    const candidates = async (texts: Record<string, string>, text: string) => {
      const index = await create()
      const units = Object.entries(texts).map(([unitId, text], i) => put(indexedUnit(unitId, i + 1, { text })))
      await index.feed.apply(namespaceId, units, units.length)
      return index.search({ text, topK: 10 }, filterFor(), 10)
    }
    const found = async (texts: Record<string, string>, text: string) =>
      (await candidates(texts, text)).map(({ unitId }) => unitId)

    it('is not punished for what it says elsewhere', async () => {
      const texts = {
        long: within(answer, 2000, 2000),
        part: within('the lantern above the garden gate burns out', 100, 100),
        ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`other${i}`, filler(200 + i)])),
      }
      expect((await found(texts, 'green lantern harbour gate'))[0]).toBe('long')
    })

    it('is not favoured for words that stand far from each other', async () => {
      const scattered = `green ${within('lantern', 400, 400)} harbour ${within('gate', 400, 400)} green lantern`
      const texts = { scattered, whole: within(answer, 20, 20) }
      expect(await found(texts, 'green lantern harbour gate')).toEqual(['whole', 'scattered'])
    })

    it('ranks the same wherever its passage stands', async () => {
      const scores = async (before: number) => {
        const texts = { long: within(answer, before, 3000 - before), other: 'a green lantern' }
        return (await candidates(texts, 'green lantern harbour gate')).find(({ unitId }) => unitId === 'long')?.score
      }
      const first = await scores(0)
      for (const before of [10, 140, 149, 150, 151, 1490, 3000])
        expect(await scores(before)).toBeCloseTo(first ?? -1, 1)
    })
  })

  it('stems by Porter2, not by the older Porter', async () => {
    // https://snowballstem.org/algorithms/english/stemmer.html; the two algorithms differ on the last three pairs.
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
    for (const [text, query] of forms)
      expect(index.highlights({ text: query }, text)).toEqual([{ start: 0, end: text.length }])
    expect(index.highlights({ text: 'generic' }, 'generously')).toEqual([])
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
      expect(index.highlights({ text: query }, text)).toEqual([{ start: 0, end: text.length }])
    }
    expect(index.highlights({ text: 'か' }, 'が')).toEqual([])
  })

  it('takes any number of combining marks in its stride', async () => {
    const index = await create()
    const text = `é${'\u0301\u0316'.repeat(100_000)} end`
    const ms = await worked(() => {
      expect(index.highlights({ text: 'end' }, text)).toEqual([{ start: text.length - 3, end: text.length }])
    })
    expect(ms).toBeLessThan(2_000)
  })

  it('marks real places in any text, and never throws', async () => {
    const index = await create()
    const text = fc.string({ unit: 'binary', maxLength: 40 })
    const property = fc.property(text, text, (query, body) => {
      let previous = 0
      for (const { start, end } of index.highlights({ text: `${query} ${body}` }, body)) {
        expect(start).toBeGreaterThanOrEqual(previous)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(body.length)
        previous = end
      }
    })
    fc.assert(property, { numRuns: propertyRuns(shortOrLong(60, 150)) })
  })
})
