import type { TextAnalysis } from '../../../ports/indexes/text-analysis.ts'
import { wordToken } from '../fields/tokens.ts'

/** A search term. */
export interface Term {
  /** The query for Meilisearch: a token, or a phrase of two. */
  q: string
  kind: 'word' | 'pair' | 'stop'
  /** The weight of a match: the weight of words or pairs times how often the query contains it. */
  weight: number
}

/** Pairs of adjacent words, as in the built-in ranking (Metzler & Croft 2005). */
const pairWeight = 0.4

/** A longer query uses its first words. Counting the Units of a word takes a separate query to Meilisearch. */
const maxWords = 24

/** The distinct terms of a query in order of first mention, words before pairs; stop words if there are no others. */
export function queryTerms(query: string, analysis: TextAnalysis): Term[] {
  const words = analysis.words(query)
  const content = words.filter(({ stop }) => !stop).map(({ term }) => wordToken(term, 'term'))
  if (content.length === 0) {
    return counted(
      words.map(({ word }) => wordToken(word, 'stop')),
      'stop',
      1,
    )
  }
  const kept = new Set([...new Set(content)].slice(0, maxWords))
  const pairs = content
    .slice(1)
    .flatMap((second, i) => (kept.has(second) && kept.has(content[i] ?? '') ? [`"${content[i]} ${second}"`] : []))
  return [
    ...counted(
      content.filter((word) => kept.has(word)),
      'word',
      1,
    ),
    ...counted(pairs, 'pair', pairWeight),
  ]
}

function counted(queries: readonly string[], kind: Term['kind'], weight: number): Term[] {
  const counts = new Map<string, number>()
  for (const q of queries) counts.set(q, (counts.get(q) ?? 0) + 1)
  return [...counts].slice(0, maxWords).map(([q, mentions]) => ({ q, kind, weight: weight * mentions }))
}
