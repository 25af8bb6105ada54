import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neighbourScores } from '../../src/adapters/index-meilisearch/rank.ts'

type Bag = ReadonlyMap<string, number>

/** A direct implementation of the formula: every pair of texts, every term. */
function naive(bags: readonly Bag[], scores: readonly number[]): number[] {
  const n = bags.length
  const df = (term: string) => bags.filter((bag) => bag.has(term)).length
  const vectors = bags.map((bag) => {
    const telling = [...bag].filter(([term]) => df(term) <= n / 2)
    const weights = telling.map(([term, tf]): [string, number] => [
      term,
      (1 + Math.log(tf)) * Math.log(1 + (n - df(term) + 0.5) / (df(term) + 0.5)),
    ])
    const length = Math.hypot(...weights.map(([, weight]) => weight)) || 1
    return new Map(weights.map(([term, weight]) => [term, weight / length]))
  })
  const cosine = (a: Bag, b: Bag) => [...a].reduce((sum, [term, weight]) => sum + weight * (b.get(term) ?? 0), 0)
  return vectors.map((vector, i) => {
    const others = vectors.map((other, j) => ({ cosine: j === i ? 0 : cosine(vector, other), score: scores[j] ?? 0 }))
    const near = others.filter((other) => other.cosine > 0).sort((a, b) => b.cosine - a.cosine)
    // The formula does not define which of several equally near texts count.
    const last = near[4]?.cosine ?? 0
    if (near[5] !== undefined && near[5].cosine > last - 1e-9) return Number.NaN
    const total = near.slice(0, 5).reduce((sum, other) => sum + other.cosine, 0)
    return near.slice(0, 5).reduce((sum, other) => sum + (other.cosine * other.score) / total, 0)
  })
}

describe('the scores of neighbours', () => {
  it('are as they are written down', () => {
    const bag = fc.dictionary(fc.constantFrom(...'abcdefghijkl'), fc.integer({ min: 1, max: 9 }), { maxKeys: 6 })
    const candidates = fc.array(fc.record({ bag, score: fc.double({ min: 0, max: 1, noNaN: true }) }), {
      maxLength: 12,
    })
    let compared = 0
    fc.assert(
      fc.property(candidates, (list) => {
        const bags = list.map(({ bag }) => new Map(Object.entries(bag)))
        const scores = list.map(({ score }) => score)
        const expected = naive(bags, scores)
        for (const [i, score] of neighbourScores(bags, scores).entries()) {
          if (Number.isNaN(expected[i])) continue
          expect(score).toBeCloseTo(expected[i] ?? 0, 9)
          compared++
        }
      }),
      { numRuns: 500 },
    )
    expect(compared).toBeGreaterThan(500)
  })
})
