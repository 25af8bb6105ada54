import { inverseDocumentFrequency } from '../text/field.ts'
import { paragraph, type TextColumns } from '../text/text-columns.ts'

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
  /** By stem: its term + 1; all 0 between calls. */
  termOf = new Uint32Array(0)
  #cosines = new Float64Array(0)

  /** `length` zeros. */
  cosines(length: number): Float64Array {
    if (this.#cosines.length < length) this.#cosines = new Float64Array(length)
    else this.#cosines.fill(0, 0, length)
    return this.#cosines
  }
}

/**
 * Compares rows by their tokens: all of them or those of a passage. Terms in more than half of the rows do not
 * distinguish them and are left out: their weights are 0.
 */
export function compareRows(text: TextColumns, rows: readonly Uint32Array[], scratch: ComparisonScratch): Comparison {
  const counted = countTerms(text, rows, scratch)
  const { stems, starts } = counted
  const inverse = new Float64Array(rows.length)
  const weights = new Float64Array(counted.counts.length)
  for (let term = 0; term < stems.length; term++) {
    const [start, end] = [starts[term] ?? 0, starts[term + 1] ?? 0]
    if (2 * (end - start) > rows.length) continue
    const idf = inverseDocumentFrequency(rows.length, end - start)
    for (let e = start; e < end; e++) {
      const count = counted.counts[e] ?? 1
      const weight = count === 1 ? idf : (1 + Math.log(count)) * idf
      weights[e] = weight
      const candidate = counted.candidates[e] ?? 0
      inverse[candidate] = (inverse[candidate] ?? 0) + weight * weight
    }
  }
  for (const [i, square] of inverse.entries()) inverse[i] = square === 0 ? 0 : 1 / Math.sqrt(square)
  return { stems, starts, candidates: counted.candidates, weights, inverseNorms: inverse }
}

interface Counted {
  stems: Uint32Array
  starts: Uint32Array
  candidates: Uint32Array
  counts: Uint32Array
}

/** How often each row contains each stem, grouped by stem. */
function countTerms(text: TextColumns, rows: readonly Uint32Array[], scratch: ComparisonScratch): Counted {
  if (scratch.termOf.length < text.stems.size) scratch.termOf = new Uint32Array(2 * text.stems.size)
  const { termOf } = scratch
  const stemOf = text.stemOf.array
  const max = rows.reduce((sum, row) => sum + row.length, 0)
  const entries = { term: new Uint32Array(max), candidate: new Uint32Array(max), count: new Uint32Array(max) }
  const stems = new Uint32Array(max)
  // By term: its latest entry, and its number of rows.
  const latest = new Uint32Array(max)
  const holding = new Uint32Array(max)
  let [terms, size] = [0, 0]
  for (const [candidate, words] of rows.entries()) {
    for (let at = 0; at < words.length; at++) {
      const token = words[at] ?? paragraph
      const stem = token === paragraph ? 0 : (stemOf[token - 1] ?? 0)
      if (stem === 0) continue
      let term = (termOf[stem - 1] ?? 0) - 1
      if (term < 0) {
        term = terms++
        termOf[stem - 1] = term + 1
        stems[term] = stem - 1
      }
      const entry = latest[term] ?? 0
      if (holding[term] !== 0 && entries.candidate[entry] === candidate) {
        entries.count[entry] = (entries.count[entry] ?? 0) + 1
        continue
      }
      entries.term[size] = term
      entries.candidate[size] = candidate
      entries.count[size] = 1
      holding[term] = (holding[term] ?? 0) + 1
      latest[term] = size++
    }
  }
  for (let term = 0; term < terms; term++) termOf[stems[term] ?? 0] = 0
  return grouped(entries, size, holding.subarray(0, terms), stems.subarray(0, terms))
}

/** A counting sort by term; rows stay in order. */
function grouped(
  entries: { term: Uint32Array; candidate: Uint32Array; count: Uint32Array },
  size: number,
  holding: Uint32Array,
  stems: Uint32Array,
): Counted {
  const starts = new Uint32Array(holding.length + 1)
  for (let term = 0; term < holding.length; term++) starts[term + 1] = (starts[term] ?? 0) + (holding[term] ?? 0)
  const next = starts.slice()
  const [candidates, counts] = [new Uint32Array(size), new Uint32Array(size)]
  for (let e = 0; e < size; e++) {
    const term = entries.term[e] ?? 0
    const at = next[term] ?? 0
    next[term] = at + 1
    candidates[at] = entries.candidate[e] ?? 0
    counts[at] = entries.count[e] ?? 0
  }
  return { stems, starts, candidates, counts }
}
