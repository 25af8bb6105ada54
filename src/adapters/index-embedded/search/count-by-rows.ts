import { countInPieces } from '../text/sequences.ts'
import { type Pieces, paragraph, piecesOf, type TextColumns } from '../text/text-columns.ts'
import type { CountTerms, Term } from './query-legs.ts'

/** Working memory of one thread. */
export class RowScratch {
  /** By word: its mark, or 0 for none. All 0 between queries. */
  marks = new Uint32Array(0)
  #counts = new Uint32Array(0)

  /** `length` zeros. */
  counts(length: number): Uint32Array {
    if (this.#counts.length < length) this.#counts = new Uint32Array(length)
    else this.#counts.fill(0, 0, length)
    return this.#counts
  }
}

/** The terms that a mark's word counts for, repeated as often as it counts, from `starts[mark]` to the next. */
interface Marked {
  starts: Uint32Array
  terms: Uint32Array
}

/** Reads the rows word by word, once for all terms: fast for few rows, even for common terms. */
export function countByRows(text: TextColumns, rows: Uint32Array, scratch: RowScratch): CountTerms {
  return countByPieces(text, rows, piecesOf(text, rows), scratch)
}

/** The same for pieces of rows. `rows`: by piece, the number that it is visited under; `owners`: the row that it is of. */
export function countByPieces(
  text: TextColumns,
  rows: Uint32Array,
  pieces: Pieces,
  scratch: RowScratch,
  owners: ArrayLike<number> = rows,
): CountTerms {
  return (terms, visit) => {
    const { starts, terms: marked } = mark(text, terms, scratch)
    const pairsOf = pairsBySecond(terms)
    const [tokens, stemOf, { marks }] = [text.tokens.array, text.stemOf.array, scratch]
    // One line per piece: how often it contains each term.
    const counts = scratch.counts(rows.length * terms.length)
    for (let i = 0; i < rows.length; i++) {
      const line = i * terms.length
      const end = pieces.ends[i] ?? 0
      // The previous stem if it is a word of the query and only stop words followed.
      let previous = 0
      for (let at = pieces.starts[i] ?? 0; at < end; at++) {
        const token = tokens[at] ?? 0
        const found = token === paragraph ? 0 : (marks[token - 1] ?? 0)
        if (found === 0) {
          if (previous !== 0 && (token === paragraph || stemOf[token - 1] !== 0)) previous = 0
          continue
        }
        const last = starts[found + 1] ?? 0
        for (let m = starts[found] ?? 0; m < last; m++) {
          const cell = line + (marked[m] ?? 0)
          counts[cell] = (counts[cell] ?? 0) + 1
        }
        if (pairsOf === null) continue
        const stem = stemOf[token - 1] ?? 0
        // Names and stop words stand between the words of a pair.
        if (stem === 0) continue
        if (previous !== 0) {
          for (const { first, term } of pairsOf.get(stem) ?? [])
            if (first === previous) counts[line + term] = (counts[line + term] ?? 0) + 1
        }
        previous = stem
      }
    }
    for (const { words } of terms) for (const word of words) marks[word] = 0
    visitColumns(terms, rows, counts, (term, found) =>
      visit(term, term.sequence ? countInPieces(text, term.sequence, rows, pieces, owners) : found),
    )
  }
}

function visitColumns(
  terms: readonly Term[],
  rows: Uint32Array,
  counts: Uint32Array,
  visit: Parameters<CountTerms>[1],
): void {
  const holding = { rows: new Uint32Array(rows.length), counts: new Uint32Array(rows.length) }
  for (const [column, term] of terms.entries()) {
    let length = 0
    for (let i = 0, cell = column; i < rows.length; i++, cell += terms.length) {
      const count = counts[cell] ?? 0
      if (count === 0) continue
      holding.rows[length] = rows[i] ?? 0
      holding.counts[length++] = count
    }
    visit(term, { ...holding, length })
  }
}

/** Marks the terms' words, from 1 up. */
function mark(text: TextColumns, terms: readonly Term[], scratch: RowScratch): Marked {
  if (scratch.marks.length < text.words.size) scratch.marks = new Uint32Array(2 * text.words.size)
  const { marks } = scratch
  const listed = terms.reduce((sum, { words }) => sum + words.length, 0)
  const starts = new Uint32Array(listed + 2)
  let used = 0
  for (const { words } of terms) {
    for (let i = 0; i < words.length; i++) {
      const word = words[i] ?? 0
      if (marks[word] === 0) marks[word] = ++used
      const next = (marks[word] ?? 0) + 1
      starts[next] = (starts[next] ?? 0) + 1
    }
  }
  for (let m = 1; m <= used + 1; m++) starts[m] = (starts[m] ?? 0) + (starts[m - 1] ?? 0)
  const [next, flat] = [starts.slice(0, used + 1), new Uint32Array(listed)]
  for (const [term, { words }] of terms.entries()) {
    for (let i = 0; i < words.length; i++) {
      const m = marks[words[i] ?? 0] ?? 0
      const at = next[m] ?? 0
      flat[at] = term
      next[m] = at + 1
    }
  }
  return { starts, terms: flat }
}

/** By second stem, the pairs' first stems and terms; null if there are no pairs. */
function pairsBySecond(terms: readonly Term[]): Map<number, { first: number; term: number }[]> | null {
  const pairs = new Map<number, { first: number; term: number }[]>()
  for (const [term, { pair }] of terms.entries()) {
    if (pair) pairs.set(pair.second, [...(pairs.get(pair.second) ?? []), { first: pair.first, term }])
  }
  return pairs.size === 0 ? null : pairs
}
