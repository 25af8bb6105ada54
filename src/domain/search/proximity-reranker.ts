import type { Reranker } from '../../ports/reranker.ts'
import type { TextAnalysis, Word } from '../../ports/text-analysis.ts'
import { mapInSlices } from '../../slices/slices.ts'

/** Each feature's weight beside the retrieval's score: the same for both, and no query's or collection's own. */
const weight = 0.1
/** Content words that count as one place. */
const windowLength = 12
/** Content words from the beginning on at which speaking of the query counts half. */
const halfway = 20
/** Texts may be a megabyte long. UTF-16 units. */
const longestText = 4_000

/**
 * Adds to the retrieval what it does not look at: whether a text speaks of the query in one place (proximity: Tao & Zhai
 * 2007) and from its beginning on (what opens a text is what it is about). What each word is worth is counted over the
 * candidates alone. `npm run bench` measures it.
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
        // What says nothing, such as an image, keeps its place.
        const [near, early] = terms.length === 0 ? [score, score] : [density(weights, terms), earliness(weights, terms)]
        return (score + weight * (near + early)) / (1 + 2 * weight)
      })
    },
  }
}

const contentOf = (words: readonly Word[]): string[] => words.filter(({ stop }) => !stop).map(({ term }) => term)

/** The share of each of the query's terms in all of it, by the idf of BM25 over these texts. */
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

/** How much of the query stands in the best window, 0..1. */
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

/** 1 at the beginning, falling with the words before the first of the query's, 0 without any. */
function earliness(weights: ReadonlyMap<string, number>, terms: readonly string[]): number {
  const first = terms.findIndex((term) => weights.has(term))
  return first < 0 ? 0 : 1 / (1 + first / halfway)
}
