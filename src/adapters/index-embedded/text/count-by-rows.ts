import type { Visible } from '../shard/visible.ts'
import type { CountTerms, Term } from './term.ts'
import { paragraph, type TextColumns } from './text-columns.ts'

/** Working memory of one thread. */
export class RowScratch {
  /** By word: which entry of `termsOf` lists the terms that it counts for; 0 for none, and everywhere between queries. */
  marks = new Uint32Array(0)
}

/** Reads the visible rows word by word, once for all terms: cheap where few rows are visible, however common the terms. */
export function countByRows(text: TextColumns, { rows }: Visible, scratch: RowScratch): CountTerms {
  return (terms, visit) => {
    const termsOf = mark(text, terms, scratch)
    const pairsOf = pairsBySecond(terms)
    const found = terms.map(() => ({ rows: [] as number[], counts: [] as number[] }))
    const counts = new Uint32Array(terms.length)
    const held: number[] = []
    const add = (term: number) => {
      if (counts[term] === 0) held.push(term)
      counts[term] = (counts[term] ?? 0) + 1
    }
    const { marks } = scratch
    const [tokens, ends, stemOf] = [text.tokens.array, text.tokenEnds.array, text.stemOf.array]
    for (const row of rows) {
      // The stem before, where it is a word of the query and nothing but stop words came since.
      let previous = 0
      const end = ends[row] ?? 0
      for (let at = row === 0 ? 0 : (ends[row - 1] ?? 0); at < end; at++) {
        const token = tokens[at] ?? 0
        const marked = token === paragraph ? 0 : (marks[token - 1] ?? 0)
        if (marked === 0) {
          if (previous !== 0 && (token === paragraph || stemOf[token - 1] !== 0)) previous = 0
          continue
        }
        for (const term of termsOf[marked] ?? []) add(term)
        const stem = stemOf[token - 1] ?? 0
        if (previous !== 0) for (const { first, term } of pairsOf.get(stem) ?? []) if (first === previous) add(term)
        previous = stem
      }
      for (const term of held) {
        found[term]?.rows.push(row)
        found[term]?.counts.push(counts[term] ?? 0)
        counts[term] = 0
      }
      held.length = 0
    }
    for (const { words } of terms) for (const word of words) marks[word] = 0
    for (const [i, term] of terms.entries()) {
      const { rows = [], counts = [] } = found[i] ?? {}
      visit(term, { rows, counts, length: rows.length })
    }
  }
}

/** Marks the terms' words; returns, by mark, the terms that a word counts for, as often as it does. */
function mark(text: TextColumns, terms: readonly Term[], scratch: RowScratch): number[][] {
  if (scratch.marks.length < text.words.size) scratch.marks = new Uint32Array(2 * text.words.size)
  const { marks } = scratch
  const termsOf: number[][] = [[]]
  for (const [i, { words }] of terms.entries()) {
    for (const word of words) {
      const known = marks[word] ?? 0
      if (known === 0) marks[word] = termsOf.push([i]) - 1
      else termsOf[known]?.push(i)
    }
  }
  return termsOf
}

function pairsBySecond(terms: readonly Term[]): Map<number, { first: number; term: number }[]> {
  const pairs = new Map<number, { first: number; term: number }[]>()
  for (const [term, { pair }] of terms.entries()) {
    if (pair) pairs.set(pair.second, [...(pairs.get(pair.second) ?? []), { first: pair.first, term }])
  }
  return pairs
}
