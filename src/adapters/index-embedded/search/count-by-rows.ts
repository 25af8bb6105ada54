import { countInPieces } from '../text/sequences.ts'
import { type Pieces, paragraph, piecesOf, type TextColumns } from '../text/text-columns.ts'
import type { CountTerms, Term } from './query-legs.ts'

/** Working memory of one thread. */
export class RowScratch {
  /** By word + 1: its mark, or 0 for none. All 0 between queries. */
  marks = new Uint32Array(0)
  #counts = new Uint32Array(0)
  #places = new Uint32Array(0)

  /** `length` zeros. */
  counts(length: number): Uint32Array {
    if (this.#counts.length < length) this.#counts = new Uint32Array(length)
    else this.#counts.fill(0, 0, length)
    return this.#counts
  }

  /** At least `length` numbers. */
  places(length: number): Uint32Array {
    if (this.#places.length < length) this.#places = new Uint32Array(2 * length)
    return this.#places
  }
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
    const words = terms.map((term) => wordsOf(text, term))
    const { starts, terms: marked } = mark(text, words, scratch)
    const pairs = terms.map(({ pair }) => pair)
    const [tokens, { marks }] = [text.tokens.array, scratch]
    // One line per term: how often each piece contains it.
    const counts = scratch.counts(rows.length * terms.length)
    for (let i = 0; i < rows.length; i++) {
      const [start, end] = [pieces.starts[i] ?? 0, pieces.ends[i] ?? 0]
      const places = scratch.places(end - start + 1)
      let found = 0
      // A token without a mark gives its place to the next one: which have one, the processor cannot guess.
      for (let at = start; at < end; at++) {
        places[found] = at
        found += -(marks[tokens[at] ?? paragraph] ?? 0) >>> 31
      }
      for (let p = 0; p < found; p++) {
        const at = places[p] ?? 0
        const token = marks[tokens[at] ?? paragraph] ?? 0
        const last = starts[token + 1] ?? 0
        for (let m = starts[token] ?? 0; m < last; m++) {
          const term = marked[m] ?? 0
          const pair = pairs[term]
          if (pair && !leadsTo(text, pair.first, at, -1, start)) continue
          const cell = term * rows.length + i
          counts[cell] = (counts[cell] ?? 0) + 1
        }
      }
    }
    for (const some of words) for (let i = 0; i < some.length; i++) marks[(some[i] ?? 0) + 1] = 0
    visitLines(terms, rows, counts, (term, found) =>
      visit(term, term.sequence ? countInPieces(text, term.sequence, rows, pieces, owners) : found),
    )
  }
}

/** Those that can end a pair, or are the term. */
function wordsOf({ stemWords, stemOf }: TextColumns, { pair, words }: Term): Uint32Array {
  if (pair === null) return words
  const ends = new Set<number>()
  stemWords.each(pair.second - 1, (word) => {
    if (stemOf.array[word - 1] === pair.second) ends.add(word - 1)
  })
  return Uint32Array.from(ends)
}

/** Whether the next word from a token on, apart from stop words and names, has a stem. `step`: 1 up to an end, or -1 down to a start. */
export function leadsTo(text: TextColumns, stem: number, from: number, step: number, bound: number): boolean {
  const [tokens, stemOf] = [text.tokens.array, text.stemOf.array]
  const end = step < 0 ? bound - 1 : bound
  for (let at = from + step; at !== end; at += step) {
    const token = tokens[at] ?? paragraph
    if (token === paragraph) return false
    const found = stemOf[token - 1] ?? 0
    if (found !== 0) return found === stem
  }
  return false
}

function visitLines(
  terms: readonly Term[],
  rows: Uint32Array,
  counts: Uint32Array,
  visit: Parameters<CountTerms>[1],
): void {
  const holding = { rows: new Uint32Array(rows.length + 1), counts: new Uint32Array(rows.length + 1) }
  for (const [line, term] of terms.entries()) {
    let length = 0
    for (let i = 0, cell = line * rows.length; i < rows.length; i++, cell++) {
      const count = counts[cell] ?? 0
      holding.rows[length] = rows[i] ?? 0
      holding.counts[length] = count
      length += -count >>> 31
    }
    visit(term, { ...holding, length })
  }
}

/** Marks the terms' words, from 1 up. The terms that a mark's word counts for, as often as it counts, are from `starts[mark]` to the next. */
function mark(text: TextColumns, words: readonly Uint32Array[], scratch: RowScratch) {
  if (scratch.marks.length <= text.words.size) scratch.marks = new Uint32Array(2 * text.words.size + 1)
  const { marks } = scratch
  const listed = words.reduce((sum, { length }) => sum + length, 0)
  const starts = new Uint32Array(listed + 2)
  let used = 0
  for (const some of words) {
    for (let i = 0; i < some.length; i++) {
      const word = some[i] ?? 0
      if (marks[word + 1] === 0) marks[word + 1] = ++used
      const next = (marks[word + 1] ?? 0) + 1
      starts[next] = (starts[next] ?? 0) + 1
    }
  }
  for (let m = 1; m <= used + 1; m++) starts[m] = (starts[m] ?? 0) + (starts[m - 1] ?? 0)
  const [next, flat] = [starts.slice(0, used + 1), new Uint32Array(listed)]
  for (const [term, some] of words.entries()) {
    for (let i = 0; i < some.length; i++) {
      const word = some[i] ?? 0
      const m = marks[word + 1] ?? 0
      const at = next[m] ?? 0
      flat[at] = term
      next[m] = at + 1
    }
  }
  return { starts, terms: flat }
}
