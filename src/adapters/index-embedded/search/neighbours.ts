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
  const cosines = scratch.cosines(n * n)
  addCosines(comparison, n, cosines)
  const near = { candidates: new Uint32Array(nearest), cosines: new Float64Array(nearest) }
  return Float64Array.from({ length: n }, (_, a) => {
    const found = nearestOf(a, n, cosines, near)
    let [weighted, total] = [0, 0]
    for (let i = 0; i < found; i++) {
      const cosine = near.cosines[i] ?? 0
      weighted += cosine * (scores[near.candidates[i] ?? 0] ?? 0)
      total += cosine
    }
    return total === 0 ? 0 : weighted / total
  })
}

/** The cosine of each pair of candidates, on both sides of the diagonal. */
function addCosines({ starts, candidates, weights, inverseNorms }: Comparison, n: number, cosines: Float64Array): void {
  for (let term = 0; term + 1 < starts.length; term++) {
    const [start, end] = [starts[term] ?? 0, starts[term + 1] ?? 0]
    if (weights[start] === 0) continue
    for (let i = start + 1; i < end; i++) {
      const [line, weight] = [(candidates[i] ?? 0) * n, weights[i] ?? 0]
      for (let j = start; j < i; j++) {
        const at = line + (candidates[j] ?? 0)
        cosines[at] = (cosines[at] ?? 0) + weight * (weights[j] ?? 0)
      }
    }
  }
  for (let a = 1; a < n; a++) {
    for (let b = 0; b < a; b++) {
      const cosine = (cosines[a * n + b] ?? 0) * (inverseNorms[a] ?? 0) * (inverseNorms[b] ?? 0)
      cosines[a * n + b] = cosine
      cosines[b * n + a] = cosine
    }
  }
}

/** Puts the nearest others with a cosine above 0 into `near`, nearest first; returns their number. */
function nearestOf(
  a: number,
  n: number,
  cosines: Float64Array,
  near: { candidates: Uint32Array; cosines: Float64Array },
): number {
  let found = 0
  for (let b = 0; b < n; b++) {
    const cosine = cosines[a * n + b] ?? 0
    if (cosine <= (found < nearest ? 0 : (near.cosines[nearest - 1] ?? 0))) continue
    let place = found < nearest ? found++ : nearest - 1
    for (; place > 0 && (near.cosines[place - 1] ?? 0) < cosine; place--) {
      near.cosines[place] = near.cosines[place - 1] ?? 0
      near.candidates[place] = near.candidates[place - 1] ?? 0
    }
    near.cosines[place] = cosine
    near.candidates[place] = b
  }
  return found
}
