import type { Comparison } from './compare-rows.ts'

const documents = 10
const heaviest = 80

/**
 * Pseudo-relevance feedback in the manner of RM3: the heaviest terms of the centroid of the best candidates, whose
 * vectors are weighted by score. The weights sum to 1.
 *
 * @param scores by candidate; the ten highest make the centroid
 * @returns weights by stem, heaviest first
 */
export function feedbackTerms(comparison: Comparison, scores: Float64Array): Map<number, number> {
  const { stems, starts, candidates, weights, inverseNorms } = comparison
  const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
  const share = new Float64Array(scores.length)
  for (const best of order.slice(0, documents)) share[best] = (scores[best] ?? 0) * (inverseNorms[best] ?? 0)
  const centroid: { stem: number; weight: number }[] = []
  for (const [term, stem] of stems.entries()) {
    let weight = 0
    for (let e = starts[term] ?? 0; e < (starts[term + 1] ?? 0); e++) {
      weight += (share[candidates[e] ?? 0] ?? 0) * (weights[e] ?? 0)
    }
    if (weight > 0) centroid.push({ stem, weight })
  }
  // Ties stay in the order of first mention by the candidates, which depends on visible rows only.
  const top = centroid.sort((a, b) => b.weight - a.weight).slice(0, heaviest)
  const total = top.reduce((sum, { weight }) => sum + weight, 0)
  return new Map(top.map(({ stem, weight }) => [stem, weight / total]))
}
