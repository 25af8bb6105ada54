import type { Pieces } from '../text/text-columns.ts'
import { inverseDocumentFrequency, paragraph, type TextColumns } from '../text/text-columns.ts'

/**
 * Rows compared by their words, weighted as x_t = (1 + ln tf) * idf within these rows. Terms are in the order of first
 * mention. Entries e from starts[t] to starts[t + 1] belong to term t: row `candidates[e]` has weight `weights[e]`.
 */
export interface Comparison {
  /** By term: its stem. */
  stems: Uint32Array
  starts: Uint32Array
  candidates: Uint32Array
  weights: Float64Array
  /** By candidate: 1 / the length of its vector. */
  inverseNorms: Float64Array
}

/** Working memory of one thread. */
export class ComparisonScratch {
  /** By stem + 1: its latest entry; all 0 between calls. */
  entryOf = new Uint32Array(0)
  // By entry, in the order of the rows: its term, and how often the row contains it.
  terms = new Uint32Array(0)
  counts = new Uint32Array(0)
  // By entry, grouped by term.
  candidates = new Uint32Array(0)
  weights = new Float64Array(0)
  // By term.
  stems = new Uint32Array(0)
  starts = new Uint32Array(0)
  next = new Uint32Array(0)
  #cosines = new Float64Array(0)

  reserve(stems: number, entries: number): void {
    if (this.entryOf.length <= stems) this.entryOf = new Uint32Array(2 * stems + 1)
    if (this.counts.length >= entries) return
    const size = 2 * entries
    this.weights = new Float64Array(size)
    for (const name of ['terms', 'counts', 'candidates', 'stems', 'starts', 'next'] as const) {
      this[name] = new Uint32Array(size)
    }
  }

  /** `length` zeros. */
  cosines(length: number): Float64Array {
    if (this.#cosines.length < length) this.#cosines = new Float64Array(length)
    else this.#cosines.fill(0, 0, length)
    return this.#cosines
  }
}

/**
 * Compares rows by their tokens: all of them or those of a passage. Terms in more than half of the rows do not
 * distinguish them and are left out: their weights are 0. The result is valid until the next call.
 */
export function compareRows(text: TextColumns, rows: Pieces, scratch: ComparisonScratch): Comparison {
  const count = rows.starts.length
  const terms = countTerms(text, rows, scratch)
  const { starts, candidates, weights } = scratch
  const inverse = new Float64Array(count)
  const idfs = new Float64Array((count >> 1) + 1)
  for (let term = 0; term < terms; term++) {
    const [start, end] = [starts[term] ?? 0, starts[term + 1] ?? 0]
    const holding = end - start
    if (2 * holding > count) {
      weights.fill(0, start, end)
      continue
    }
    let idf = idfs[holding] ?? 0
    if (idf === 0) {
      idf = inverseDocumentFrequency(count, holding)
      idfs[holding] = idf
    }
    for (let e = start; e < end; e++) {
      // So far, how often the row contains the term.
      const times = weights[e] ?? 1
      const weight = times === 1 ? idf : (1 + Math.log(times)) * idf
      weights[e] = weight
      const candidate = candidates[e] ?? 0
      inverse[candidate] = (inverse[candidate] ?? 0) + weight * weight
    }
  }
  for (let i = 0; i < count; i++) {
    const square = inverse[i] ?? 0
    inverse[i] = square === 0 ? 0 : 1 / Math.sqrt(square)
  }
  return {
    stems: scratch.stems.subarray(0, terms),
    starts: starts.subarray(0, terms + 1),
    candidates,
    weights,
    inverseNorms: inverse,
  }
}

/** How often each row contains each stem, grouped by stem, as `weights`. Returns the number of terms. */
function countTerms(text: TextColumns, rows: Pieces, scratch: ComparisonScratch): number {
  let max = 2
  for (let i = 0; i < rows.starts.length; i++) max += (rows.ends[i] ?? 0) - (rows.starts[i] ?? 0)
  scratch.reserve(text.stems.size, max)
  const { entryOf, terms: termOf, counts, stems, starts } = scratch
  const [tokens, stemOf] = [text.tokens.array, text.stemOf.array]
  // Entry 0 stands for none.
  const firsts = new Uint32Array(rows.starts.length + 1)
  let [terms, size] = [0, 1]
  for (let candidate = 0; candidate < rows.starts.length; candidate++) {
    const first = size
    firsts[candidate] = first
    const end = rows.ends[candidate] ?? 0
    for (let at = rows.starts[candidate] ?? 0; at < end; at++) {
      const token = tokens[at] ?? paragraph
      const stem = token === paragraph ? 0 : (stemOf[token - 1] ?? 0)
      if (stem === 0) continue
      const entry = entryOf[stem] ?? 0
      if (entry >= first) {
        counts[entry] = (counts[entry] ?? 0) + 1
        continue
      }
      let term = termOf[entry] ?? 0
      if (entry === 0) {
        term = terms++
        stems[term] = stem - 1
        starts[term + 1] = 0
      }
      termOf[size] = term
      counts[size] = 1
      // So far, the number of its rows.
      starts[term + 1] = (starts[term + 1] ?? 0) + 1
      entryOf[stem] = size++
    }
  }
  firsts[rows.starts.length] = size
  for (let term = 0; term < terms; term++) entryOf[(stems[term] ?? 0) + 1] = 0
  group(scratch, firsts, terms)
  return terms
}

/** A counting sort by term; rows stay in order. */
function group(
  { terms, counts, candidates, weights, starts, next }: ComparisonScratch,
  firsts: Uint32Array,
  termCount: number,
): void {
  starts[0] = 0
  for (let term = 0; term < termCount; term++) {
    next[term] = starts[term] ?? 0
    starts[term + 1] = (starts[term + 1] ?? 0) + (starts[term] ?? 0)
  }
  for (let candidate = 0; candidate + 1 < firsts.length; candidate++) {
    for (let e = firsts[candidate] ?? 0; e < (firsts[candidate + 1] ?? 0); e++) {
      const term = terms[e] ?? 0
      const at = next[term] ?? 0
      next[term] = at + 1
      candidates[at] = candidate
      weights[at] = counts[e] ?? 0
    }
  }
}

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
