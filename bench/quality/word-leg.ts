import { analyse } from '../../src/adapters/index-embedded/analysis/analyse.ts'
import { stopWords } from '../../src/adapters/index-embedded/analysis/lexemes.ts'
import { stem } from '../../src/adapters/index-embedded/analysis/morphology.ts'
import type { Collection } from './collections.ts'

const k1 = 1.2
const b = 0.75

/**
 * The baseline: only BM25 (Robertson & Zaragoza 2009) over stemmed words. It shares the analysis with the service but
 * none of its ranking, so that an error there cannot lower both.
 * @returns ranks a query: ids of the documents that share a word with it, best first, ties in the collection's order.
 */
export function wordLeg(documents: Collection['documents']): (query: string) => string[] {
  const counts = documents.map(({ text }) => Map.groupBy(termsOf(text), (term) => term))
  const lengths = counts.map((terms) => terms.values().reduce((sum, { length }) => sum + length, 0))
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / documents.length
  return (query) => {
    const scores = documents.map(({ id }) => ({ id, score: 0 }))
    for (const term of termsOf(query)) {
      const df = counts.filter((terms) => terms.has(term)).length
      const idf = Math.log(1 + (documents.length - df + 0.5) / (df + 0.5))
      for (const [i, entry] of scores.entries()) {
        const tf = counts[i]?.get(term)?.length ?? 0
        const damping = k1 * (1 - b + (b * (lengths[i] ?? 0)) / averageLength)
        if (tf > 0) entry.score += (idf * tf * (k1 + 1)) / (tf + damping)
      }
    }
    return scores
      .filter(({ score }) => score > 0)
      .sort((x, y) => y.score - x.score)
      .map(({ id }) => id)
  }
}

/** Stems of all words except stop words; if a text has only stop words, the stems of those. */
function termsOf(text: string): string[] {
  const words = analyse(text).map(({ word }) => word)
  const content = words.filter((word) => !stopWords.has(word)).map(stem)
  return content.length > 0 ? content : words
}
