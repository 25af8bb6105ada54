import type { Comparison } from './neighbours.ts'

const documents = 10
const heaviest = 80

/**
 * Pseudo-relevance feedback in the manner of RM3: the heaviest terms of the best candidates' centroid, their vectors
 * weighted by score, as weights that sum to 1.
 *
 * @param scores by candidate; the ten highest make the centroid
 * @returns weights by stem, heaviest first
 */
export function feedbackTerms({ terms, inverseNorms }: Comparison, scores: Float64Array): Map<number, number> {
  const order = [...scores.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
  const best = new Set(order.slice(0, documents))
  const centroid = terms.map(({ stem, candidates, weights }) => {
    let weight = 0
    for (const [i, candidate] of candidates.entries()) {
      if (!best.has(candidate)) continue
      weight += (scores[candidate] ?? 0) * (weights[i] ?? 0) * (inverseNorms[candidate] ?? 0)
    }
    return { stem, weight }
  })
  // Ties stay in the order in which the candidates said the terms, which rests on visible rows alone.
  const kept = centroid.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight)
  const top = kept.slice(0, heaviest)
  const total = top.reduce((sum, { weight }) => sum + weight, 0)
  return new Map(top.map(({ stem, weight }) => [stem, weight / total]))
}
