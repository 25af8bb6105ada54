import { startOf } from '../memory/store.ts'
import type { Visible } from '../shard/visible.ts'
import { paragraph, postingCount, postingRow, type TextColumns } from '../text/text-columns.ts'
import { leadsTo } from './count-by-rows.ts'
import { type CountTerms, holdingOf, none, type Pair } from './query-legs.ts'

/** Working memory of one thread. */
export class CountScratch {
  /** By row, or by its place: how often it contains the current term; all 0 between terms. */
  current = new Uint32Array(0)
  /** By row: a bit for each term that it contains; all 0 between queries. */
  held = new Uint32Array(0)
  /** Rows with such a bit. */
  holding = new Uint32Array(0)
  rows = new Uint32Array(0)
  counts = new Uint32Array(0)
  /** Those of a term's words that occur. */
  words = new Uint32Array(0)

  reserve(rowCount: number): void {
    if (this.current.length >= rowCount) return
    this.current = new Uint32Array(rowCount)
    this.held = new Uint32Array(rowCount)
    this.holding = new Uint32Array(rowCount)
    // What is not counted is written, too, and overwritten by the next.
    this.rows = new Uint32Array(rowCount + 1)
    this.counts = new Uint32Array(rowCount)
  }
}

/**
 * Counts one term after another.
 *
 * @param countTerm puts the rows of a term into the scratch and returns how many; of a pair by the words of its rarer term
 */
export const countSingly =
  (
    { rows, counts }: CountScratch,
    countTerm: (words: Uint32Array, term: number, pair: Pair | null, isFirst: boolean) => number,
  ): CountTerms =>
  (terms, visit) => {
    const lengths: number[] = []
    for (const [number, term] of terms.entries()) {
      const { pair, words, sequence } = term
      const isFirst = pair !== null && (lengths[pair.firstTerm] ?? 0) < (lengths[pair.secondTerm] ?? 0)
      const rarer = pair === null ? words : (terms[isFirst ? pair.firstTerm : pair.secondTerm]?.words ?? none)
      const length = sequence ? 0 : countTerm(rarer, number, pair, isFirst)
      lengths.push(length)
      visit(term, sequence ? holdingOf(sequence) : { rows, counts, length })
    }
  }

/** Walks the postings of each term's words: fast for rare terms. */
export function countByPostings(text: TextColumns, { flags }: Visible, scratch: CountScratch): CountTerms {
  scratch.reserve(flags.length)
  const { current: byRow, held, holding, rows, counts } = scratch

  /** Lists the visible rows that contain one of the words; their counts stay in `byRow`. */
  const gather = (words: Uint32Array): number => {
    const [heads, pool] = [text.postings.heads.array, text.postings.pool.array]
    let found = 0
    for (const word of words) {
      let slice = heads[word] ?? 0
      while (slice !== 0) {
        const end = slice + 1 + (pool[slice] ?? 0)
        for (let at = slice + 1; at < end; at++) {
          const posting = pool[at] ?? 0
          if (posting === 0) break
          const row = postingRow(posting)
          // Which rows are visible, and new, the processor cannot guess: branches would cost more than the rest.
          const flag = flags[row] ?? 0
          const count = byRow[row] ?? 0
          rows[found] = row
          found += flag & ((count - 1) >>> 31)
          byRow[row] = count + Math.imul(flag, postingCount(posting))
        }
        slice = pool[end] ?? 0
      }
    }
    return found
  }

  const countWords = (words: Uint32Array): number => {
    const found = gather(words)
    for (let i = 0; i < found; i++) {
      const row = rows[i] ?? 0
      counts[i] = byRow[row] ?? 0
      byRow[row] = 0
    }
    return found
  }

  /** Searches for the pair in the rows that hold both of its stems. */
  const countPair = (pair: Pair, rarer: Uint32Array): number => {
    const both = bitOf(pair.firstTerm) | bitOf(pair.secondTerm)
    const gathered = gather(rarer)
    let found = 0
    for (let i = 0; i < gathered; i++) {
      const row = rows[i] ?? 0
      byRow[row] = 0
      if (((held[row] ?? 0) & both) !== both) continue
      const count = countPairs(text, row, pair)
      if (count === 0) continue
      rows[found] = row
      counts[found++] = count
    }
    return found
  }

  let noted = 0
  /** Notes that the rows of the last call hold a term. */
  const note = (term: number, length: number): void => {
    const bit = bitOf(term)
    for (let i = 0; i < length; i++) {
      const row = rows[i] ?? 0
      const before = held[row] ?? 0
      if (before === 0) holding[noted++] = row
      held[row] = before | bit
    }
  }

  let hasPairs = false
  const each = countSingly(scratch, (words, term, pair) => {
    const length = pair ? countPair(pair, words) : countWords(words)
    if (hasPairs && !pair) note(term, length)
    return length
  })
  return (terms, visit) => {
    hasPairs = terms.some(({ pair }) => pair !== null)
    each(terms, visit)
    for (; noted > 0; noted--) held[holding[noted - 1] ?? 0] = 0
  }
}

/** Later terms share bits with earlier ones. */
const bitOf = (term: number): number => 1 << (term & 31)

/** How often a row contains the pair: its stems adjacent within a paragraph, without stop words. */
function countPairs(text: TextColumns, row: number, { first, second }: Pair): number {
  const [tokens, stemOf, ends] = [text.tokens.array, text.stemOf.array, text.tokenEnds.array]
  const start = startOf(ends, row)
  const end = ends[row] ?? 0
  let count = 0
  for (let at = start; at < end; at++) {
    if (stemOf[(tokens[at] ?? paragraph) - 1] === second && leadsTo(text, first, at, -1, start)) count++
  }
  return count
}
