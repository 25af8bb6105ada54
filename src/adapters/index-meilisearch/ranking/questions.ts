import type { MultiSearchQuery, MultiSearchQueryWithFederation } from 'meilisearch'
import type { Weighed } from './bm25.ts'

/** A query without the index, the filter and the order, which all queries share; `among`: only these documents. */
export type Question = Omit<MultiSearchQuery, 'indexUid' | 'filter' | 'sort'> & { among?: readonly string[] }
export type WeightedQuestion = Omit<Question, 'among'> & Pick<MultiSearchQueryWithFederation, 'federationOptions'>

/** Meilisearch ignores all words after the tenth. */
const wordLimit = 10

/** How many Units contain it, without the Units. */
export const countOf = (q: string): Question => ({ q, matchingStrategy: 'all', hitsPerPage: 0 })

/** Which of the documents contain it. */
export const holdersAmong = (q: string, among: readonly string[]): Question => ({
  ...{ q, matchingStrategy: 'all', limit: among.length, among },
})

/** How many Units contain it, and which: all of them if there are at most `limit`. */
export const holdersOf = (q: string, limit: number): Question => ({ q, matchingStrategy: 'all', hitsPerPage: limit })

/**
 * Finds the Units that are likely to score well. Words are sorted by worth and queried in windows of ten, one starting
 * at each word. Meilisearch drops words from the end, so a window finds the Units that contain its first word, those
 * with more of the following words first. A match is weighted by the worth of the window's words. The windows together
 * find every Unit with any word. With more than ten words, the windows that start with the least valuable ones are left
 * out once an earlier window finds as many as wanted: they would only add Units without better words.
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
