import { inverseDocumentFrequency } from '../text/text-columns.ts'
import type { CountTerms, Term } from './query-legs.ts'

const k1 = 1.2
const b = 0.75
/** No row scores this many times as high as a row of average length that has a term as often as the query does. */
export const highestGain: number = k1 + 1

/**
 * BM25 (Robertson & Zaragoza 2009, k1 = 1.2, b = .75) one term at a time, added up by row:
 *
 *   weight * ln(1 + (N - df + .5)/(df + .5)) * tf * 2.2 / (tf + 1.2 * (.25 + .75 * dl/avgdl))
 *
 * N, df and avgdl count visible rows only, so rows that are not visible can't change a score by one bit.
 *
 * @param after gets for each term the score of a row of average length that has it as often as the query does
 * @param holding how many visible rows count as holding a term, if the rows of `count` are not all visible rows
 */
export function scoreTerms(
  terms: readonly Term[],
  count: CountTerms,
  scores: RowScores,
  {
    after,
    holding,
  }: { after?: (term: number, score: number) => void; holding?: (term: number, length: number) => number } = {},
): void {
  let at = 0
  const gains = new Map<string, number>()
  count(terms, (term, { rows, counts, length }) => {
    const { name, field, weight, rarity, commonAs = 0, place, standsFor, longer = 0 } = term
    const { lengths, averageLength } = field
    const bit = place === undefined ? 0 : 1 << place
    const held = holding ? holding(at, length) : length
    const idf = standsFor
      ? standsFor.reduce((sum, other) => sum + (gains.get(other) ?? 0), 0)
      : inverseDocumentFrequency(field.rows, rarity ?? Math.max(held, commonAs))
    gains.set(name, weight * idf)
    const [gain, shortest, perTerm] = [weight * idf * highestGain, k1 * (1 - b), (k1 * b) / averageLength]
    for (let i = 0; i < length; i++) {
      const row = rows[i] ?? 0
      const tf = counts[i] ?? 0
      scores.add(row, (gain * tf) / (tf + shortest + perTerm * ((lengths[row] ?? 0) + longer)), bit)
    }
    after?.(at, standsFor ? 0 : weight * idf)
    at++
  })
}

const steps = 4096

/** Sums by row number, and which rows have one. Made once per thread and reused, because there are many rows. */
export class RowScores {
  values = new Float64Array(0)
  /** By row: a bit for each word of the query that it holds. */
  masks = new Uint32Array(0)
  #rows = new Uint32Array(0)
  /** By row, where it stands among the rows. */
  #places = new Uint32Array(0)
  #found = 0
  #best = 0

  /** Rows with a score, in the order of their first score. */
  get rows(): Uint32Array {
    return this.#rows.subarray(0, this.#found)
  }

  /** Empties it and allocates `count` rows. */
  reset(count: number): void {
    if (this.values.length < count) {
      this.values = new Float64Array(count)
      this.masks = new Uint32Array(count)
      this.#rows = new Uint32Array(count)
      this.#places = new Uint32Array(count)
    } else {
      for (let i = 0; i < this.#found; i++) {
        const row = this.#rows[i] ?? 0
        this.values[row] = 0
        this.masks[row] = 0
      }
    }
    this.#found = 0
    this.#best = 0
  }

  /** @param score above 0 */
  add(row: number, score: number, bit = 0): void {
    const sum = this.values[row] ?? 0
    if (sum === 0) {
      this.#places[row] = this.#found
      this.#rows[this.#found++] = row
    }
    this.values[row] = sum + score
    if (bit !== 0) this.masks[row] = (this.masks[row] ?? 0) | bit
    // Sums only grow, so the highest sum so far stays correct.
    if (sum + score > this.#best) this.#best = sum + score
  }

  /** Changes the scores of rows that have one. */
  replace(scores: ReadonlyMap<number, number>): void {
    for (const [row, score] of scores) this.values[row] = score
    this.#best = this.bestFrom(0)
  }

  /** Among the rows, of one that has a score. */
  placeOf(row: number): number {
    return this.#places[row] ?? 0
  }

  /** The highest score of the rows from a place on; 0 without one. */
  bestFrom(place: number): number {
    let best = 0
    // `Math.max` would make an object of each number.
    for (let i = place; i < this.#found; i++) {
      const score = this.values[this.#rows[i] ?? 0] ?? 0
      if (score > best) best = score
    }
    return best
  }

  /** Whether a row holds all of some words. */
  covers(mask: number): boolean {
    return this.rows.some((row) => ((this.masks[row] ?? 0) & mask) >>> 0 === mask)
  }

  /**
   * Multiplies each score by the share of the words that its row holds.
   *
   * @param weights by word; 0 for one that does not count
   */
  multiplyByShare(weights: readonly number[]): void {
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    // What shares only letters with the query counts as what has its least word.
    const least = weights.reduce((min, weight) => (weight > 0 ? Math.min(min, weight) : min), total)
    for (const row of this.rows) {
      let held = 0
      for (let left = this.masks[row] ?? 0; left !== 0; left &= left - 1)
        held += weights[31 - Math.clz32(left & -left)] ?? 0
      const share = Math.max(held, least) / total
      this.values[row] = (this.values[row] ?? 0) * share
    }
    this.#best = this.bestFrom(0)
  }

  /** The score at a rank from 1 on, or slightly below; 0 if there are fewer rows. */
  atRank(rank: number): number {
    const { values } = this
    const rows = this.rows
    const counts = new Uint32Array(steps + 1)
    const perScore = steps / this.#best
    for (let i = 0; i < rows.length; i++) {
      const step = Math.floor((values[rows[i] ?? 0] ?? 0) * perScore)
      counts[step] = (counts[step] ?? 0) + 1
    }
    let step = steps
    for (let found = counts[step] ?? 0; found < rank && step > 0; ) found += counts[--step] ?? 0
    return step / perScore
  }

  /** The rows with at least this score. */
  rowsFrom(score: number): Uint32Array {
    const { values } = this
    return this.rows.filter((row) => (values[row] ?? 0) >= score)
  }

  of(row: number): number {
    return this.values[row] ?? 0
  }

  get best(): number {
    return this.#best
  }
}
