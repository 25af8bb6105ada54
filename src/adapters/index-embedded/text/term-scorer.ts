import type { Visible } from '../shard/visible.ts'
import { type Field, inverseDocumentFrequency } from './field.ts'
import type { RowScores } from './row-scores.ts'
import { paragraph, postingCount, postingRow, type TextColumns } from './text-columns.ts'

const k1 = 1.2
const b = 0.75

/** What a term contributes: `weight` carries the field's weight and how often the query says the term. */
export interface Scoring {
  field: Field
  weight: number
  scores: RowScores
}

/**
 * BM25 a term at a time (Robertson & Zaragoza 2009, k1 = 1.2, b = .75), added up by row:
 *
 *   weight * ln(1 + (N - df + .5)/(df + .5)) * tf * 2.2 / (tf + 1.2 * (.25 + .75 * dl/avgdl))
 *
 * N, df and avgdl count visible rows only, so rows that are not visible can't move a score by one bit.
 */
export class TermScorer {
  /** By row: how often it says the term at hand; all 0 between terms. */
  #counts = new Uint32Array(0)
  /** The rows that do. */
  #holding = new Uint32Array(0)

  /** A term that is any of the given words. Returns its inverse document frequency and how many rows hold it. */
  add(text: TextColumns, visible: Visible, words: readonly number[], scoring: Scoring): { idf: number; rows: number } {
    const rows = this.#gather(text, visible, words)
    return { idf: this.#score(rows, scoring), rows }
  }

  /** A term that is one of `words` and, as the next word after it that is no stop word, one of the stem `second`. */
  addBigram(text: TextColumns, visible: Visible, rarer: readonly number[], pair: Pair, scoring: Scoring): void {
    const gathered = this.#gather(text, visible, rarer)
    let rows = 0
    for (let i = 0; i < gathered; i++) {
      const row = this.#holding[i] ?? 0
      const count = countPairs(text, row, pair)
      this.#counts[row] = count
      if (count > 0) this.#holding[rows++] = row
    }
    this.#score(rows, scoring)
  }

  /** Counts the words in visible rows; returns how many rows hold one. */
  #gather({ postings }: TextColumns, { flags }: Visible, words: readonly number[]): number {
    if (this.#counts.length < flags.length) {
      this.#counts = new Uint32Array(flags.length)
      this.#holding = new Uint32Array(flags.length)
    }
    const [counts, holding, heads, pool] = [this.#counts, this.#holding, postings.heads.array, postings.pool.array]
    let rows = 0
    for (const word of words) {
      let slice = heads[word] ?? 0
      while (slice !== 0) {
        const end = slice + 1 + (pool[slice] ?? 0)
        for (let at = slice + 1; at < end; at++) {
          const posting = pool[at] ?? 0
          if (posting === 0) break
          const row = postingRow(posting)
          if (flags[row] !== 1) continue
          const count = counts[row] ?? 0
          if (count === 0) holding[rows++] = row
          counts[row] = count + postingCount(posting)
        }
        slice = pool[end] ?? 0
      }
    }
    return rows
  }

  /** Scores the gathered rows and forgets their counts. */
  #score(rows: number, { field, weight, scores }: Scoring): number {
    const { lengths, averageLength } = field
    const idf = inverseDocumentFrequency(field.rows, rows)
    for (let i = 0; i < rows; i++) {
      const row = this.#holding[i] ?? 0
      const count = this.#counts[row] ?? 0
      this.#counts[row] = 0
      const saturation = count + k1 * (1 - b + b * ((lengths[row] ?? 0) / averageLength))
      scores.add(row, (weight * idf * count * (k1 + 1)) / saturation)
    }
    return idf
  }
}

/** Two stems, as number + 1. */
export interface Pair {
  first: number
  second: number
}

function countPairs(text: TextColumns, row: number, { first, second }: Pair): number {
  const stemOf = text.stemOf.array
  let [count, previous] = [0, 0]
  for (const token of text.row(row)) {
    if (token === paragraph) previous = 0
    else {
      const stem = stemOf[token - 1] ?? 0
      if (stem === 0) continue
      if (previous === first && stem === second) count++
      previous = stem
    }
  }
  return count
}
