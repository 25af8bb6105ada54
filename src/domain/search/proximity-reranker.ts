import { mapInSlices } from '../../async/pieces.ts'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { Reranker } from '../../ports/models/reranker.ts'

/** The weight of each feature relative to the retrieval's score: equal for both, not tuned to any collection. */
const weight = 0.1
/** Number of content words that count as one place. */
const windowLength = 12
/** Position, in content words, where the first term of the query counts half. */
const halfway = 20
/** Texts may be a megabyte long. UTF-16 units. */
const longestText = 4_000

/**
 * Adds to retrieval what it ignores: whether a text has the query in one place (proximity: Tao & Zhai 2007) and near
 * its beginning (a text begins with its topic). Term weights are computed over the candidates only. `npm run bench`
 * measures it.
 */
export function createProximityReranker(analysis: TextAnalysis): Reranker {
  return {
    model: 'builtin-proximity',
    depth: 50,
    score: async (query, candidates) => {
      const terms = new Set(contentOf(analysis.words(query)))
      const texts = await mapInSlices(candidates, ({ text }) => contentOf(analysis.words(text.slice(0, longestText))))
      const weights = weigh(terms, texts)
      return mapInSlices(candidates, ({ score }, i) => {
        const terms = texts[i] ?? []
        // A hit without words, such as an image, keeps its place.
        const [near, early] = terms.length === 0 ? [score, score] : [density(weights, terms), earliness(weights, terms)]
        return (score + weight * (near + early)) / (1 + 2 * weight)
      })
    },
  }
}

const contentOf = (words: readonly Word[]): string[] => words.filter(({ stop }) => !stop).map(({ term }) => term)

/** Each query term's share of the query's total weight, by the idf of BM25 over these texts. */
function weigh(terms: ReadonlySet<string>, texts: readonly (readonly string[])[]): Map<string, number> {
  const frequencies = new Map<string, number>()
  for (const text of texts) {
    for (const term of new Set(text)) if (terms.has(term)) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  }
  const weights = [...terms].map((term): [string, number] => {
    const df = frequencies.get(term) ?? 0
    return [term, Math.log(1 + (texts.length - df + 0.5) / (df + 0.5))]
  })
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0)
  return new Map(weights.map(([term, weight]) => [term, weight / total]))
}

/** The share of the query in the best window, 0..1. */
function density(weights: ReadonlyMap<string, number>, terms: readonly string[]): number {
  let best = 0
  for (let from = 0; from < terms.length; from++) {
    if (!weights.has(terms[from] ?? '')) continue
    let here = 0
    for (const term of new Set(terms.slice(from, from + windowLength))) here += weights.get(term) ?? 0
    best = Math.max(best, here)
  }
  return Math.min(1, best)
}

/** 1 at the beginning, lower with each word before the first query term, 0 without any. */
function earliness(weights: ReadonlyMap<string, number>, terms: readonly string[]): number {
  const first = terms.findIndex((term) => weights.has(term))
  return first < 0 ? 0 : 1 / (1 + first / halfway)
}
