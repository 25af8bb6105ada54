import { startOf } from '../memory/store.ts'
import { type Pieces, paragraph, type TextColumns } from './text-columns.ts'

/** Words that follow each other in a paragraph, apart from stop words. */
export interface Sequence {
  /** By place: the words that may stand there. */
  words: readonly ReadonlySet<number>[]
  /** The visible rows that hold it, and how often each does, ascending. */
  held: ReadonlyMap<number, number>
}

/** @param rowsOf the visible rows that hold one of some words, ascending */
export function sequenceOf(
  text: TextColumns,
  parts: readonly Uint32Array[],
  rowsOf: (words: Uint32Array) => readonly number[],
): Sequence {
  const words = parts.map((some) => new Set(some))
  const rows = parts.map(rowsOf).reduce((fewest, some) => (some.length < fewest.length ? some : fewest))
  const ends = text.tokenEnds.array
  const held = new Map<number, number>()
  for (const row of rows) {
    const count = countIn(text, startOf(ends, row), ends[row] ?? 0, words)
    if (count > 0) held.set(row, count)
  }
  return { words, held }
}

/** How often pieces hold it. `rows`: by piece, the number that it is visited under; `owners`: by piece, the row that it is of. */
export function countInPieces(
  text: TextColumns,
  { words, held }: Sequence,
  rows: Uint32Array,
  { starts, ends }: Pieces,
  owners: ArrayLike<number>,
): { rows: number[]; counts: number[]; length: number } {
  const found: { rows: number[]; counts: number[] } = { rows: [], counts: [] }
  for (let i = 0; i < rows.length; i++) {
    if (!held.has(owners[i] ?? 0)) continue
    const count = countIn(text, starts[i] ?? 0, ends[i] ?? 0, words)
    if (count === 0) continue
    found.rows.push(rows[i] ?? 0)
    found.counts.push(count)
  }
  return { ...found, length: found.rows.length }
}

function countIn(text: TextColumns, start: number, end: number, words: readonly ReadonlySet<number>[]): number {
  const [tokens, stemOf] = [text.tokens.array, text.stemOf.array]
  const holdsAt = (first: number): boolean => {
    let part = 1
    for (let at = first + 1; part < words.length; at++) {
      const token = at < end ? (tokens[at] ?? paragraph) : paragraph
      if (token === paragraph) return false
      if (words[part]?.has(token - 1)) part++
      else if (stemOf[token - 1] !== 0) return false
    }
    return true
  }
  let count = 0
  for (let at = start; at < end; at++) if (words[0]?.has((tokens[at] ?? paragraph) - 1) && holdsAt(at)) count++
  return count
}
