import { inverseDocumentFrequency } from '../text/field.ts'
import type { RowScores } from './row-scores.ts'
import type { CountTerms, Term } from './term.ts'

const k1 = 1.2
const b = 0.75
/** No row scores this many times as high as a row of average length that has a term as often as the query does. */
export const highestGain: number = k1 + 1

/**
 * BM25 (Robertson & Zaragoza 2009, k1 = 1.2, b = .75) one term at a time, added up by row:
 *
 *   weight * ln(1 + (N - df + .5)/(df + .5)) * tf * 2.2 / (tf + 1.2 * (.25 + .75 * dl/avgdl))
 *
 * N, df and avgdl count visible rows only, so rows that are not visible can't change a score by one bit.
 *
 * @param after gets for each term the score of a row of average length that has it as often as the query does
 * @param holding how many visible rows count as holding a term, if the rows of `count` are not all visible rows
 */
export function scoreTerms(
  terms: readonly Term[],
  count: CountTerms,
  scores: RowScores,
  {
    after,
    holding,
  }: { after?: (term: number, score: number) => void; holding?: (term: number, length: number) => number } = {},
): void {
  let at = 0
  count(terms, ({ field, weight }, { rows, counts, length }) => {
    const { lengths, averageLength } = field
    const idf = inverseDocumentFrequency(field.rows, holding ? holding(at, length) : length)
    const [gain, shortest, perTerm] = [weight * idf * highestGain, k1 * (1 - b), (k1 * b) / averageLength]
    for (let i = 0; i < length; i++) {
      const row = rows[i] ?? 0
      const tf = counts[i] ?? 0
      scores.add(row, (gain * tf) / (tf + shortest + perTerm * (lengths[row] ?? 0)))
    }
    after?.(at, weight * idf)
    at++
  })
}
