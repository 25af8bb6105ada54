import { inverseDocumentFrequency } from './field.ts'
import { paragraph, type TextColumns } from './text-columns.ts'

const nearest = 5

/** A term among the candidates: which of them say it, and its weight in each. */
interface Term {
  stem: number
  candidates: number[]
  weights: number[]
}

/** Rows compared by their words, weighted as x_t = (1 + ln tf) * idf within these rows, and L2-normalised. */
export interface Comparison {
  terms: readonly Term[]
  /** 1 / the length of each candidate's vector. */
  inverseNorms: Float64Array
}

/** Terms that more than half of the candidates say part them no further, and are left out. */
export function compareRows(text: TextColumns, rows: readonly number[]): Comparison {
  const terms = new Map<number, Term>()
  for (const [candidate, row] of rows.entries()) {
    for (const [stem, count] of stemCounts(text, row)) {
      const term = terms.get(stem) ?? { stem, candidates: [], weights: [] }
      if (term.candidates.length === 0) terms.set(stem, term)
      term.candidates.push(candidate)
      term.weights.push(1 + Math.log(count))
    }
  }
  const squares = new Float64Array(rows.length)
  const kept = [...terms.values()].filter((term) => term.candidates.length <= rows.length / 2)
  for (const { candidates, weights } of kept) {
    const idf = inverseDocumentFrequency(rows.length, candidates.length)
    for (const [i, candidate] of candidates.entries()) {
      const weight = (weights[i] ?? 0) * idf
      weights[i] = weight
      squares[candidate] = (squares[candidate] ?? 0) + weight * weight
    }
  }
  return { terms: kept, inverseNorms: squares.map((square) => (square === 0 ? 0 : 1 / Math.sqrt(square))) }
}

/**
 * Score regularisation (Diaz 2005): for each candidate, the mean score of its 5 nearest others, weighted by cosine.
 *
 * @param scores by candidate, best first: of equally near ones the better counts
 */
export function neighbourScores({ terms, inverseNorms }: Comparison, scores: Float64Array): Float64Array {
  const n = scores.length
  const cosines = new Float64Array(n * n)
  for (const { candidates, weights } of terms) {
    for (let i = 1; i < candidates.length; i++) {
      const [a, weight] = [candidates[i] ?? 0, weights[i] ?? 0]
      const line = a * n
      for (let j = 0; j < i; j++) {
        const at = line + (candidates[j] ?? 0)
        cosines[at] = (cosines[at] ?? 0) + weight * (weights[j] ?? 0)
      }
    }
  }
  return Float64Array.from({ length: n }, (_, a) => {
    const near = nearestOf(n, (b) => {
      const dot = (a > b ? cosines[a * n + b] : cosines[b * n + a]) ?? 0
      return b === a ? 0 : dot * (inverseNorms[a] ?? 0) * (inverseNorms[b] ?? 0)
    })
    let [weighted, total] = [0, 0]
    for (const { candidate, cosine } of near) {
      weighted += cosine * (scores[candidate] ?? 0)
      total += cosine
    }
    return total === 0 ? 0 : weighted / total
  })
}

function nearestOf(n: number, cosineOf: (candidate: number) => number): { candidate: number; cosine: number }[] {
  const near: { candidate: number; cosine: number }[] = []
  for (let candidate = 0; candidate < n; candidate++) {
    const cosine = cosineOf(candidate)
    if (cosine <= (near.length < nearest ? 0 : (near.at(-1)?.cosine ?? 0))) continue
    const place = near.findIndex((other) => other.cosine < cosine)
    near.splice(place < 0 ? near.length : place, 0, { candidate, cosine })
    if (near.length > nearest) near.pop()
  }
  return near
}

function stemCounts(text: TextColumns, row: number): Map<number, number> {
  const stemOf = text.stemOf.array
  const counts = new Map<number, number>()
  for (const token of text.row(row)) {
    if (token === paragraph) continue
    const stem = (stemOf[token - 1] ?? 0) - 1
    if (stem >= 0) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  }
  return counts
}
