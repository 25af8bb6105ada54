import { createKernel, createMemory, growTo } from '../kernel/kernel.ts'
import { inverseDocumentFrequency, type Pieces, paragraph, type TextColumns } from '../text/text-columns.ts'

/**
 * Rows compared by their words, weighted as x_t = (1 + ln tf) * idf within these rows. Terms are in the order of first
 * mention. Entries e from starts[t] to starts[t + 1] belong to term t: row `candidates[e]` has weight `weights[e]`.
 */
export interface Comparison {
  /** By term: its stem + 1. */
  stems: Uint32Array
  starts: Uint32Array
  candidates: Uint32Array
  weights: Float64Array
  /** By candidate: 1 / the length of its vector. */
  inverseNorms: Float64Array
}

/** How much is compared: stems of the texts, rows, tokens of all of them, and of the longest one. */
interface Size {
  stems: number
  rows: number
  tokens: number
  longest: number
}

/** Working memory of one thread, and the kernel that shares it. */
export class ComparisonScratch {
  readonly #memory = createMemory(1)
  readonly kernel = createKernel(this.#memory)
  readonly #size: Size = { stems: 0, rows: 0, tokens: 0, longest: 0 }
  arrays = layOut(this.#memory, this.#size)

  /** Makes the arrays long enough. What was in them is lost if they were not. */
  reserve(size: Size): Arrays {
    const larger = (['stems', 'rows', 'tokens', 'longest'] as const).filter((name) => size[name] > this.#size[name])
    for (const name of larger) this.#size[name] = 2 * size[name]
    if (larger.length > 0) this.arrays = layOut(this.#memory, this.#size)
    return this.arrays
  }
}

type Arrays = ReturnType<typeof layOut>

function layOut(memory: WebAssembly.Memory, { stems, rows, tokens, longest }: Size) {
  let end = 0
  const take = (bytes: number) => {
    const start = end
    end += 8 * Math.ceil(bytes / 8)
    growTo(memory, end)
    return start
  }
  const whole = (length: number, start = take(4 * length)) => new Uint32Array(memory.buffer, start, length)
  const floats = (length: number, start = take(8 * length)) => new Float64Array(memory.buffer, start, length)
  // Even, so that each array begins where the one before ends.
  const entries = 2 * Math.ceil(tokens / 2) + 2
  const arrays = {
    terms: whole(entries),
    counts: whole(entries),
    stems: whole(entries),
    latest: whole(entries),
    holding: whole(entries),
    starts: whole(entries),
    candidates: whole(entries),
    weights: floats(entries),
    bounds: whole(rows + 1),
    inverse: floats(rows),
    scores: floats(rows),
    means: floats(rows),
    work: floats(11 * rows),
    idfs: floats((rows >> 1) + 2),
    /** By how often a row contains a term. */
    logs: floats(longest + 1),
    /** By stem + 1; all 0 between calls. */
    termOf: whole(stems + 1).fill(0),
  }
  for (let times = 1; times <= longest; times++) arrays.logs[times] = 1 + Math.log(times)
  return arrays
}

/**
 * Compares rows by their tokens: all of them or those of a passage. Terms in more than half of the rows do not
 * distinguish them and are left out: their weights are 0. The result is valid until the next call.
 */
export function compareRows(text: TextColumns, rows: Pieces, scratch: ComparisonScratch): Comparison {
  const count = rows.starts.length
  const arrays = readStems(text, rows, scratch)
  const { terms, stems, starts, candidates, weights, bounds, termOf, idfs, logs, inverse } = arrays
  const maxHolding = count >> 1
  for (let holding = 1; holding <= maxHolding; holding++) idfs[holding] = inverseDocumentFrequency(count, holding)
  idfs[maxHolding + 1] = 0
  const termCount = scratch.kernel.weighTerms(
    terms.byteOffset,
    terms.byteLength,
    bounds.byteOffset,
    count,
    termOf.byteOffset,
    idfs.byteOffset,
    maxHolding + 1,
    logs.byteOffset,
    inverse.byteOffset,
  )
  return {
    stems: stems.subarray(0, termCount),
    starts: starts.subarray(0, termCount + 1),
    candidates,
    weights,
    inverseNorms: inverse,
  }
}

/** Lists the stems of rows for the kernel. */
function readStems(text: TextColumns, { starts, ends }: Pieces, scratch: ComparisonScratch): Arrays {
  let [sum, longest] = [0, 0]
  for (let i = 0; i < starts.length; i++) {
    const length = (ends[i] ?? 0) - (starts[i] ?? 0)
    sum += length
    longest = Math.max(longest, length)
  }
  const arrays = scratch.reserve({ stems: text.stems.size, rows: starts.length, tokens: sum, longest })
  const { terms, bounds } = arrays
  const [tokens, stemOf] = [text.tokens.array, text.stemOf.array]
  let size = 0
  for (let row = 0; row < starts.length; row++) {
    bounds[row] = size
    const end = ends[row] ?? 0
    for (let at = starts[row] ?? 0; at < end; at++) {
      const token = tokens[at] ?? paragraph
      if (token === paragraph) continue
      const stem = stemOf[token - 1] ?? 0
      terms[size] = stem
      // The next one takes the place of a stop word: nobody can guess which words are.
      size += 1 - ((stem - 1) >>> 31)
    }
  }
  bounds[starts.length] = size
  return arrays
}

/**
 * Score regularisation (Diaz 2005): for each candidate, the mean score of its 5 nearest others, weighted by cosine. Valid until the
 * next call.
 *
 * @param scores by candidate, best first: of equally near candidates the better one counts
 */
export function neighbourScores(
  { stems }: Comparison,
  scores: Float64Array,
  { kernel, arrays }: ComparisonScratch,
): Float64Array {
  const { terms, bounds, inverse, work, means } = arrays
  arrays.scores.set(scores)
  kernel.meanOfNearest(
    terms.byteOffset,
    terms.byteLength,
    stems.length,
    bounds.byteOffset,
    scores.length,
    inverse.byteOffset,
    arrays.scores.byteOffset,
    work.byteOffset,
    means.byteOffset,
  )
  return means
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
    if (weight > 0) centroid.push({ stem: stem - 1, weight })
  }
  // Ties stay in the order of first mention by the candidates, which depends on visible rows only.
  const top = centroid.sort((a, b) => b.weight - a.weight).slice(0, heaviest)
  const total = top.reduce((sum, { weight }) => sum + weight, 0)
  return new Map(top.map(({ stem, weight }) => [stem, weight / total]))
}
