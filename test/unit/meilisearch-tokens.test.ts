import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textAnalysis } from '../../src/adapters/index-embedded/analysis/text-analysis.ts'
import {
  documentId,
  metadataToken,
  numberTokens,
  orderOf,
  rangeTokens,
  readBag,
  textFields,
  valueToken,
  wordToken,
} from '../../src/adapters/index-meilisearch/fields.ts'

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -20, max: 20 }),
  fc.constantFrom(0, -0, 1e308, -1e308, 5e-324, Number.MAX_SAFE_INTEGER),
)
const end = fc.oneof(number, fc.constantFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY))

describe('tokens of numbers', () => {
  it('meet those of a range exactly when the number is in it', () => {
    fc.assert(
      fc.property(number, end, end, (value, min, max) => {
        const range = new Set(rangeTokens(['key'], min, max))
        const shared = numberTokens(['key'], value).filter((token) => range.has(token))
        expect(shared).toHaveLength(value >= min && value <= max ? 1 : 0)
      }),
      { numRuns: 2000 },
    )
  })

  it('are few, and of one key', () => {
    fc.assert(
      fc.property(end, end, (min, max) => {
        expect(rangeTokens(['key'], min, max).length).toBeLessThanOrEqual(2 * 15 * 16)
      }),
    )
    expect(numberTokens(['key'], 1)).toHaveLength(16)
    const other = new Set(rangeTokens(['other'], 0, 2))
    expect(numberTokens(['key'], 1).filter((token) => other.has(token))).toEqual([])
  })
})

describe('tokens of values', () => {
  it('tell case, spaces, types and kinds apart', () => {
    const tokens = [
      valueToken('doc', 'a'),
      valueToken('doc', 'A'),
      valueToken('doc', ' a'),
      valueToken('group', 'a'),
      metadataToken(['a'], 1),
      metadataToken(['a'], '1'),
      metadataToken(['a'], true),
      metadataToken(['a'], 'true'),
      valueToken('doc', 'x'.repeat(500)),
      valueToken('doc', 'x'.repeat(501)),
      valueToken('doc', 'é'),
      valueToken('doc', 'e\u0301'),
    ]
    expect(new Set(tokens).size).toBe(tokens.length)
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{32}$/)
    expect(metadataToken(['a'], -0)).toBe(metadataToken(['a'], 0))
  })

  it('order Units as their ids do', () => {
    const ids = fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 })
    fc.assert(
      fc.property(ids, (list) => {
        const byToken = list.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : orderOf(a) > orderOf(b) ? 1 : 0))
        expect(byToken).toEqual(list.toSorted())
      }),
    )
  })

  it('make keys that Meilisearch takes, of any names, each its own', () => {
    expect(documentId('a"b ü', 'c')).toMatch(/^[0-9a-f]{40}$/)
    expect(documentId('a', 'bc')).not.toBe(documentId('ab', 'c'))
  })
})

describe('tokens of words', () => {
  it('are one word of consonants, whatever they stand for', () => {
    for (const word of ['harbour', 'a', '東京', '42', 'x'.repeat(5000)]) {
      expect(wordToken(word, 'term')).toMatch(/^[bcdfghjklmnpqrst]{14}$/)
    }
    expect(wordToken('the', 'term')).not.toBe(wordToken('the', 'stop'))
  })

  it('keep what a text says, and how often', () => {
    const { terms, stops, bag, length } = textFields(
      { title: null, text: 'The boat, the boats.\n\nA boat sank' },
      textAnalysis,
    )
    const [boat, sank] = [wordToken('boat', 'term'), wordToken('sank', 'term')]
    expect(terms).toEqual({ terms_1: `${boat} ${boat} zzzzzzzzzzzzzz ${boat} ${sank}` })
    const starts = ['b', 'bo', 'boa', 'boat', 'boats', 's', 'sa', 'san', 'sank'].map((start) =>
      wordToken(start, 'start'),
    )
    expect(stops.split(' ')).toEqual([wordToken('the', 'stop'), wordToken('a', 'stop'), ...starts])
    expect(length).toBe(4)
    expect(readBag(bag)).toEqual(
      new Map([
        [boat, 3],
        [sank, 1],
      ]),
    )
    expect(readBag(textFields({ title: null, text: null }, textAnalysis).bag).get('')).toBeUndefined()
  })

  it('keep a title before the text, and what repeats it once', () => {
    const [boat, sank] = [wordToken('boat', 'term'), wordToken('sank', 'term')]
    const both = textFields({ title: 'Boats', text: '# Boats\nsank' }, textAnalysis)
    expect(both.terms).toEqual({ terms_1: `${boat} zzzzzzzzzzzzzz ${sank}` })
    expect(textFields({ title: 'Boats', text: 'sank' }, textAnalysis)).toEqual(both)
    expect(textFields({ title: 'Boats', text: null }, textAnalysis).terms).toEqual({ terms_1: boat })
    expect(textFields({ title: '--', text: 'boat sank' }, textAnalysis).terms).toEqual({ terms_1: `${boat} ${sank}` })
  })

  it('keep the mentions of a text of many words in bounds', () => {
    const text = Array.from({ length: 3000 }, (_, i) => `${'w'.repeat((i % 300) + 1)}x`).join(' ')
    const { bag, length } = textFields({ title: null, text }, textAnalysis)
    expect(length).toBe(3000)
    expect(readBag(bag).size).toBe(200)
  })
})
