import { describe, expect, test } from 'vitest'
import { joinTitle } from '../../bench/quality/collections.ts'
import { wordLeg } from '../../bench/quality/word-leg.ts'
import { bootstrap } from '../../src/domain/evaluation/evaluate.ts'
import { mean, ndcg, recall } from '../../src/domain/evaluation/score-query.ts'

describe('nDCG', () => {
  test('is 1 when every relevant document comes first', () => {
    expect(ndcg(['a', 'b', 'x'], new Set(['a', 'b']), 10)).toBe(1)
  })

  test('discounts a gain by the logarithm of its rank', () => {
    expect(ndcg(['x', 'a', 'y'], new Set(['a']), 10)).toBeCloseTo(1 / Math.log2(3), 12)
    expect(ndcg(['a', 'x', 'b'], new Set(['a', 'b']), 10)).toBeCloseTo(1.5 / (1 + 1 / Math.log2(3)), 12)
  })

  test('neither looks beyond k nor expects more than k', () => {
    expect(ndcg(['x', 'a'], new Set(['a']), 1)).toBe(0)
    expect(ndcg(['a', 'b'], new Set(['a', 'b', 'c']), 2)).toBe(1)
  })

  test('is 0 of an empty ranking', () => {
    expect(ndcg([], new Set(['a']), 10)).toBe(0)
  })
})

describe('recall', () => {
  test('is the share of the relevant documents within k', () => {
    expect(recall(['a', 'x', 'b'], new Set(['a', 'b', 'c', 'd']), 3)).toBe(0.5)
    expect(recall(['a', 'x', 'b'], new Set(['a', 'b', 'c', 'd']), 2)).toBe(0.25)
  })
})

describe('bootstrap', () => {
  const coins = (heads: number, of: number) => Array.from({ length: of }, (_, i) => (i < heads ? 1 : 0))

  test('gives the same interval each time', () => {
    expect(bootstrap([coins(30, 100)])).toEqual(bootstrap([coins(30, 100)]))
  })

  test('has no width where all queries score the same', () => {
    expect(bootstrap([[0.5, 0.5, 0.5]])).toEqual({ low: 0.5, high: 0.5 })
  })

  test('is as wide as the normal approximation says', () => {
    const { low, high } = bootstrap([coins(200, 400)])
    const halfWidth = 1.96 * Math.sqrt(0.25 / 400)
    expect(low).toBeCloseTo(0.5 - halfWidth, 2)
    expect(high).toBeCloseTo(0.5 + halfWidth, 2)
  })

  test('weighs collections the same, however many queries they have', () => {
    const { low, high } = bootstrap([coins(0, 1000), coins(2, 2)])
    expect([low, high]).toEqual([0.5, 0.5])
  })

  test('of paired differences sees what two intervals apart would not', () => {
    const baseline = Array.from({ length: 100 }, (_, i) => i / 100)
    const better = baseline.map((score, i) => score + (i % 2 === 0 ? 0.03 : 0.01))
    expect(bootstrap([better]).low).toBeLessThan(mean(baseline))
    expect(bootstrap([better.map((score, i) => score - (baseline[i] ?? 0))]).low).toBeGreaterThan(0)
  })
})

describe('a document', () => {
  test('is its title and body, as two paragraphs', () => {
    expect(joinTitle('Warsaw', 'the capital of poland')).toBe('Warsaw\n\nthe capital of poland')
  })

  test('counts a title once that the body repeats', () => {
    expect(joinTitle('a wing .', 'a wing . an experiment')).toBe('a wing .\n\nan experiment')
    expect(joinTitle('a wing', 'a wing')).toBe('a wing')
    expect(joinTitle('a wing', 'a wings span')).toBe('a wing\n\na wings span')
  })

  test('is one paragraph where either is missing', () => {
    expect(joinTitle('', 'a body')).toBe('a body')
    expect(joinTitle('a title', '')).toBe('a title')
    expect(joinTitle('', '')).toBe('')
  })
})

describe('the word leg', () => {
  const rank = wordLeg([
    { id: 'long', text: 'dogs play on snow and then the other dogs of the village come and play along' },
    { id: 'short', text: 'a dog in snow' },
    { id: 'other', text: 'cats' },
    { id: 'stop', text: 'to be' },
  ])

  test('finds stems, and favours short documents', () => {
    expect(rank('snow')).toEqual(['short', 'long'])
    expect(rank('cat')).toEqual(['other'])
  })

  test('leaves out documents that share no word with the query', () => {
    expect(rank('snowball')).toEqual([])
  })

  test('drops stop words unless the query has no others', () => {
    expect(rank('to the cat')).toEqual(['other'])
    expect(rank('to be')).toEqual(['stop'])
  })
})
