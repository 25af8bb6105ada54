import type { Comparison, ComparisonScratch } from './compare-rows.ts'

const nearest = 5

/**
 * Score regularisation (Diaz 2005): for each candidate, the mean score of its 5 nearest others, weighted by cosine.
 *
 * @param scores by candidate, best first: of equally near candidates the better one counts
 */
export function neighbourScores(
  comparison: Comparison,
  scores: Float64Array,
  scratch: ComparisonScratch,
): Float64Array {
  const n = scores.length
  const near = nearestOf(comparison, n, cosinesOf(comparison, n, scratch))
  const means = new Float64Array(n)
  for (let a = 0; a < n; a++) {
    let [weighted, total] = [0, 0]
    for (let i = a * nearest; i < (a + 1) * nearest; i++) {
      const cosine = near.cosines[i] ?? 0
      weighted += cosine * (scores[near.candidates[i] ?? 0] ?? 0)
      total += cosine
    }
    means[a] = total === 0 ? 0 : weighted / total
  }
  return means
}

/** Where a triangle of pairs a > b has its row of `a`. */
const lineOf = (a: number): number => (a * (a - 1)) / 2

/** The dot product of each pair of candidates. */
function cosinesOf({ starts, candidates, weights }: Comparison, n: number, scratch: ComparisonScratch): Float64Array {
  const dots = scratch.cosines(lineOf(n))
  for (let term = 0; term + 1 < starts.length; term++) {
    const [start, end] = [starts[term] ?? 0, starts[term + 1] ?? 0]
    if (weights[start] === 0) continue
    for (let i = start + 1; i < end; i++) {
      const [line, weight] = [lineOf(candidates[i] ?? 0), weights[i] ?? 0]
      for (let j = start; j < i; j++) {
        const at = line + (candidates[j] ?? 0)
        dots[at] = (dots[at] ?? 0) + weight * (weights[j] ?? 0)
      }
    }
  }
  return dots
}

/** For each candidate, its nearest others with a cosine above 0, nearest first; the cosine is 0 where there are fewer. */
function nearestOf(
  { inverseNorms }: Comparison,
  n: number,
  dots: Float64Array,
): { candidates: Uint32Array; cosines: Float64Array } {
  const near = { candidates: new Uint32Array(n * nearest), cosines: new Float64Array(n * nearest) }
  const { candidates, cosines } = near
  const insert = (from: number, cosine: number, other: number) => {
    let place = from + nearest - 1
    for (; place > from && (cosines[place - 1] ?? 0) < cosine; place--) {
      cosines[place] = cosines[place - 1] ?? 0
      candidates[place] = candidates[place - 1] ?? 0
    }
    cosines[place] = cosine
    candidates[place] = other
  }
  for (let a = 1, at = 0; a < n; a++) {
    const norm = inverseNorms[a] ?? 0
    const last = (a + 1) * nearest - 1
    // Others come in ascending order for both, so that of equally near ones the first stays.
    for (let b = 0; b < a; b++, at++) {
      const dot = dots[at] ?? 0
      if (dot === 0) continue
      const cosine = dot * norm * (inverseNorms[b] ?? 0)
      if (cosine > (cosines[last] ?? 0)) insert(a * nearest, cosine, b)
      if (cosine > (cosines[(b + 1) * nearest - 1] ?? 0)) insert(b * nearest, cosine, a)
    }
  }
  return near
}
