import type { QueryTerms } from '../analysis/query-terms.ts'
import type { Visible } from '../shard/visible.ts'
import type { TextColumns } from '../text/text-columns.ts'
import { countByPlaces } from './count-by-places.ts'
import { countByPostings } from './count-by-postings.ts'
import { countByRows } from './count-by-rows.ts'
import { bestByWords, type LegScores } from './leg-scores.ts'
import { queryLegs } from './query-legs.ts'
import { type LegScratch, scoreLikely } from './score-likely.ts'
import { scoreTerms } from './score-terms.ts'
import type { CountTerms, Term } from './term.ts'

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
  { places, postings, rows }: LegScratch,
  terms: readonly Term[],
): CountTerms {
  const sorted = visible.places()
  if (sorted !== null) return countByPlaces(text, sorted, places)
  const few = terms.length < manyTerms ? fewRows : fewRowsOfManyTerms
  return visible.rows.length <= few ? countByRows(text, visible.rows, rows) : countByPostings(text, visible, postings)
}

/**
 * The first stage: adds BM(word) + .4 BM(bigram) + .2 BM(char4) into `scratch.legs`. Long rows get what an average
 * passage of theirs would get with all their terms, which no passage exceeds by much: `scorePassages` corrects it.
 *
 * @param depth how many rows the stage returns
 */
export function scoreLegs(
  text: TextColumns,
  visible: Visible,
  query: QueryTerms,
  scratch: LegScratch,
  depth: number,
): LegScores {
  const { legs: scores } = scratch
  const legs = queryLegs(text, visible, query, scratch.lists)
  scores.reset(visible.flags.length)
  if (visible.rows.length > fewRows) {
    const likely = scoreLikely(text, visible, legs, scratch, depth)
    if (likely) return likely
    scores.reset(visible.flags.length)
  }
  const { words, bigrams, charGrams } = legs
  const full = { words: 0, charGrams: 0 }
  const holding: number[] = []
  let byWords = { all: 0, short: 0 }
  let rowsByWords = 0
  const terms = [...words, ...bigrams, ...charGrams]
  scoreTerms(terms, termCounter(text, visible, scratch, terms), scores, {
    holding: (_, length) => {
      holding.push(length)
      return length
    },
    after: (term, score) => {
      if (term < words.length) full.words += score
      else if (term >= words.length + bigrams.length) full.charGrams += score
      if (term !== words.length - 1) return
      byWords = bestByWords(text, visible, scores)
      rowsByWords = scores.rows.length
    },
  })
  // Rows are in the order of their first score, and words come first.
  const byLetters = new Set(scores.rows.subarray(rowsByWords))
  return { rows: scores.rows, byLetters, terms, wordCount: words.length, holding, byWords, full }
}
