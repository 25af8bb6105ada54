import { analyse } from './analyse.ts'
import { charGrams } from './char-grams.ts'
import { stem } from './stem.ts'
import { stopWords } from './stop-words.ts'

/** How often the query contains each term, in the order of first mention. */
export type Terms = ReadonlyMap<string, number>

export interface QueryTerms {
  /** Stop words are a separate field: they do not affect the statistics of other queries, but can be searched for. */
  field: 'word' | 'stop'
  /** Stems; stop words if the query has no other words. */
  words: Terms
  /** Pairs of adjacent stems without stop words, each joined by a space. */
  bigrams: Terms
  charGrams: Terms
}

export function queryTerms(query: string): QueryTerms {
  const tokens = analyse(query)
  const content = tokens.filter(({ word }) => !stopWords.has(word))
  if (content.length === 0) {
    return { field: 'stop', words: count(tokens.map((token) => token.word)), bigrams: count([]), charGrams: count([]) }
  }
  const stems = content.map(({ word }) => stem(word))
  const pairs = stems.slice(1).map((second, i) => `${stems[i]} ${second}`)
  const grams = content.flatMap(({ word }) => charGrams(word))
  return { field: 'word', words: count(stems), bigrams: count(pairs), charGrams: count(grams) }
}

function count(terms: readonly string[]): Terms {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
