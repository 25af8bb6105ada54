import type { Visible } from '../shard/visible.ts'
import { isLong } from '../text/pieces.ts'
import type { TextColumns } from '../text/text-columns.ts'
import type { RowScores } from './row-scores.ts'
import type { Term } from './term.ts'

/** A match of letters only says little about what a text is about. */
const charConfidence = 0.3

/** What the first stage found; its scores are in `scratch.legs`. */
export interface LegScores {
  /** They hold the best `depth`. */
  rows: Uint32Array
  /** Those that share letters with the query, and no word. */
  byLetters: ReadonlySet<number>
  /** Words first. */
  terms: readonly Term[]
  wordCount: number
  /** By term, how many visible rows hold it. */
  holding: readonly number[]
  /** The highest score by words alone: of all rows, and of those that are not long. */
  byWords: { all: number; short: number }
  /** The scores of a row of average length that contains each word, or n-gram, as often as the query does. */
  full: { words: number; charGrams: number }
}

/**
 * How well the best row with a word of the query matches, 0..1: the score of its words as a share of the score of a row
 * of average length that contains each word of the query as often as the query does.
 */
export const wordConfidence = (byWords: number, { full }: LegScores): number => Math.min(1, byWords / (full.words || 1))

/** The same by n-grams, of the best row without words of the query. */
export const letterConfidence = (byLetters: number, { full }: LegScores): number =>
  charConfidence * Math.min(1, byLetters / (full.charGrams || 1))

/** The highest of these scores: of all rows, and of those that are not long. */
export function bestByWords(text: TextColumns, { long }: Visible, scores: RowScores): LegScores['byWords'] {
  const all = scores.best
  if (long.length === 0) return { all, short: all }
  const short = scores.rows.reduce((best, row) => (isLong(text, row) ? best : Math.max(best, scores.of(row))), 0)
  return { all, short }
}
