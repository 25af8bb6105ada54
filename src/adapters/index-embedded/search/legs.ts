import type { QueryTerms } from '../analysis/query-terms.ts'
import type { Visible } from '../shard/visible.ts'
import type { TextColumns } from '../text/text-columns.ts'
import { countByPostings } from './count-by-postings.ts'
import { countByRows } from './count-by-rows.ts'
import { queryLegs } from './query-legs.ts'
import { type LegScratch, scoreLikely } from './score-likely.ts'
import { scoreTerms } from './score-terms.ts'
import type { CountTerms, Term } from './term.ts'

/** A match of letters only says little about what a text is about. */
const charConfidence = 0.3
/**
 * Up to this number of rows, reading all their words is faster than walking the postings of common words. If more are
 * visible, only the likely best are scored completely.
 */
const fewRows = 5000

/** The same for many terms, whose postings name most rows several times. Limits the memory for their counts. */
const fewRowsOfManyTerms = 30_000
const manyTerms = 16

export function termCounter(
  text: TextColumns,
  visible: Visible,
  { postings, rows }: LegScratch,
  terms: readonly Term[],
): CountTerms {
  const few = terms.length < manyTerms ? fewRows : fewRowsOfManyTerms
  return visible.rows.length <= few ? countByRows(text, visible.rows, rows) : countByPostings(text, visible, postings)
}

/**
 * The first stage: adds BM(word) + .4 BM(bigram) + .2 BM(char4) into `scratch.legs`.
 *
 * @param depth how many rows the stage returns
 * @returns `rows` holds the best `depth`; `confidence` is how well the best row matches, 0..1: the score of its words as
 *   a share of the score of a row of average length that contains each word of the query as often as the query does.
 *   Lower if no row contains words of the query.
 */
export function scoreLegs(
  text: TextColumns,
  visible: Visible,
  query: QueryTerms,
  scratch: LegScratch,
  depth: number,
): { rows: Uint32Array; confidence: number } {
  const { legs: scores } = scratch
  const legs = queryLegs(text, visible, query)
  scores.reset(visible.flags.length)
  if (visible.rows.length > fewRows) {
    const likely = scoreLikely(text, visible, legs, scratch, depth)
    if (likely) return { rows: likely.rows, confidence: Math.min(1, likely.byWords) }
    scores.reset(visible.flags.length)
  }
  const { words, bigrams, charGrams } = legs
  const full = { words: 0, charGrams: 0 }
  let byWords = 0
  const terms = [...words, ...bigrams, ...charGrams]
  scoreTerms(terms, termCounter(text, visible, scratch, terms), scores, {
    after: (term, score) => {
      if (term < words.length) full.words += score
      else if (term >= words.length + bigrams.length) full.charGrams += score
      if (term === words.length - 1) byWords = scores.best
    },
  })
  const confidence =
    byWords > 0 ? Math.min(1, byWords / full.words) : charConfidence * Math.min(1, scores.best / (full.charGrams || 1))
  return { rows: scores.rows, confidence }
}
