import type { TextAnalysis } from '../../../ports/text-analysis.ts'
import { wordToken } from '../fields/tokens.ts'

/** What Units are searched for. */
export interface Term {
  /** As Meilisearch is asked for it: a token, or a phrase of two. */
  q: string
  kind: 'word' | 'pair' | 'stop'
  /** How much a match counts: the weight of words or pairs times how often the query says it. */
  weight: number
}

/** Pairs of adjacent words, as in the built-in ranking (Metzler & Croft 2005). */
const pairWeight = 0.4

/** Of a longer query, the words said first count. How many Units hold a word takes a query of its own to Meilisearch. */
const maxWords = 24

/** The distinct terms of a query in the order of first mention, words before pairs; of nothing but stop words, those. */
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
