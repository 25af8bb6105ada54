import type { MultiSearchQuery, MultiSearchQueryWithFederation } from 'meilisearch'
import type { Weighed } from './bm25.ts'

/** A query but for the index, the filter and the order, which all share; `among`: of these documents alone. */
export type Question = Omit<MultiSearchQuery, 'indexUid' | 'filter' | 'sort'> & { among?: readonly string[] }
export type WeightedQuestion = Omit<Question, 'among'> & Pick<MultiSearchQueryWithFederation, 'federationOptions'>

/** Meilisearch ignores what follows the tenth word. */
const wordLimit = 10

/** How many Units hold something, and none of them. */
export const countOf = (q: string): Question => ({ q, matchingStrategy: 'all', hitsPerPage: 0 })

/** Which of the documents hold something. */
export const holdersAmong = (q: string, among: readonly string[]): Question => ({
  ...{ q, matchingStrategy: 'all', limit: among.length, among },
})

/** How many Units hold something, and which: all of them where there are not more than `limit`. */
export const holdersOf = (q: string, limit: number): Question => ({ q, matchingStrategy: 'all', hitsPerPage: limit })

/**
 * Asks for the Units that are likely to score well. Words stand in the order of their worth, in windows of ten, one
 * that begins with each: Meilisearch lets words go from the end, so a window finds the Units that hold its first word,
 * those that hold more of the following ones first. How well one matches is weighed by what the window's words are worth.
 * The windows together find every Unit with any word. Of more than ten, those that begin with the words worth least are
 * left out once one before finds as many as are wanted: what they alone find holds none but such words.
 */
export function candidateQuestions(words: readonly Weighed[], wanted: number): WeightedQuestion[] {
  const sorted = words.toSorted((a, b) => b.worth - a.worth || (a.q < b.q ? -1 : 1))
  const last = sorted.findIndex(({ holding }) => holding >= wanted)
  return sorted.slice(0, last < 0 ? sorted.length : Math.max(wordLimit, last + 1)).map((_, i) => {
    const window = sorted.slice(i, i + wordLimit)
    const weight = window.reduce((total, { worth }) => total + worth, 0)
    return { q: window.map(({ q }) => q).join(' '), matchingStrategy: 'last', federationOptions: { weight } }
  })
}
