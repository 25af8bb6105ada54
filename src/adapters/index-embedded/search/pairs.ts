import { paragraph, type TextColumns } from '../text/text-columns.ts'
import type { Pair } from './term.ts'

/** How often a row contains the pair: its stems adjacent within a paragraph, without stop words. */
export function countPairs(text: TextColumns, row: number, { first, second }: Pair): number {
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
