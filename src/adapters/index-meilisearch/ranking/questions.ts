import type { MultiSearchQuery, MultiSearchQueryWithFederation } from 'meilisearch'
import type { Weighed } from './bm25.ts'

/** A query but for the index, the filter and the order, which all share. */
export type Question = Omit<MultiSearchQuery, 'indexUid' | 'filter' | 'sort'>
export type WeightedQuestion = Question & Pick<MultiSearchQueryWithFederation, 'federationOptions'>

/** Meilisearch ignores what follows the tenth word. */
const wordLimit = 10

/** How many Units hold something, and none of them. */
export const countOf = (q: string): Question => ({ q, matchingStrategy: 'all', hitsPerPage: 0 })

/**
 * Asks for the Units that are likely to score well. Words stand in the order of their worth, in windows of ten, one
 * that begins with each: Meilisearch lets words go from the end, so a window finds the Units that hold its first word,
 * those that hold more of the following ones first, and the windows together find every Unit with any word. How well one
 * matches is weighed by what the window's words are worth. Pairs are phrases.
 */
export function candidateQuestions(terms: readonly Weighed[]): WeightedQuestion[] {
  const words = terms.filter(({ kind }) => kind !== 'pair').sort((a, b) => b.worth - a.worth || (a.q < b.q ? -1 : 1))
  const worthOf = new Map(words.map(({ q, worth }) => [q, worth]))
  const windows = words.map((_, i): WeightedQuestion => {
    const window = words.slice(i, i + wordLimit)
    const weight = window.reduce((total, { worth }) => total + worth, 0)
    return { q: window.map(({ q }) => q).join(' '), matchingStrategy: 'last', federationOptions: { weight } }
  })
  const phrases = terms.flatMap(({ q, kind, worth }): WeightedQuestion[] => {
    if (kind !== 'pair') return []
    const weight = q
      .slice(1, -1)
      .split(' ')
      .reduce((total, word) => total + (worthOf.get(word) ?? 0), worth)
    return [{ q, matchingStrategy: 'all', federationOptions: { weight } }]
  })
  return [...windows, ...phrases]
}
