import type { QueryTerms } from '../analysis/query-terms.ts'
import type { Visible } from '../shard/visible.ts'
import type { TextColumns } from '../text/text-columns.ts'
import { queryLegs } from './query-legs.ts'
import type { RowScores } from './row-scores.ts'
import { scoreTerms } from './score-terms.ts'
import type { CountTerms } from './term.ts'

/** A match of letters only says little about what a text is about. */
const charConfidence = 0.3

/**
 * The first stage: adds BM(word) + .4 BM(bigram) + .2 BM(char4) into `scores`.
 *
 * @returns how well the best row matches, 0..1: the score of its words as a share of the score of a row of average
 *   length that contains each word of the query as often as the query does. Lower if no row contains words of the
 *   query.
 */
export function scoreLegs(
  text: TextColumns,
  visible: Visible,
  query: QueryTerms,
  count: CountTerms,
  scores: RowScores,
): number {
  const { words, bigrams, charGrams } = queryLegs(text, visible, query)
  const terms = [...words, ...bigrams, ...charGrams]
  const full = { words: 0, charGrams: 0 }
  let byWords = 0
  scoreTerms(terms, count, scores, (term, score) => {
    if (term < words.length) full.words += score
    else if (term >= words.length + bigrams.length) full.charGrams += score
    if (term === words.length - 1) byWords = scores.best
  })
  return byWords > 0
    ? Math.min(1, byWords / full.words)
    : charConfidence * Math.min(1, scores.best / (full.charGrams || 1))
}
