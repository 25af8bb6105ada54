import type { Weighed } from './bm25.ts'
import type { Term } from './query-terms.ts'

/** A phrase of two words of the query that Units contain. */
export interface WordPair {
  term: Term
  first: Weighed
  second: Weighed
}

/** Of longer queries, the pairs of the most valuable words are used. */
const maxPairs = 10

export function wordPairs(pairs: readonly Term[], words: readonly Weighed[]): WordPair[] {
  const known = new Map(words.map((word) => [word.q, word]))
  const held = pairs.flatMap((term): WordPair[] => {
    const [first, second] = term.q
      .slice(1, -1)
      .split(' ')
      .map((word) => known.get(word))
    return first === undefined || second === undefined ? [] : [{ term, first, second }]
  })
  const worth = ({ first, second }: WordPair) => first.worth + second.worth
  return held.sort((a, b) => worth(b) - worth(a) || (a.term.q < b.term.q ? -1 : 1)).slice(0, maxPairs)
}
