import type { Word } from '../../ports/indexes/text-analysis.ts'
import { contentTerms } from '../text/content-terms.ts'

/**
 * How much of the hypothesis the evidence covers, 0..1: the mean of the share of its content words and the share of its
 * pairs of adjacent words, stop words included (the recall sides of ROUGE-1 and ROUGE-2, Lin 2004, over stems). Words
 * show the topic, pairs show who did what to whom.
 */
export function coverage(hypothesis: readonly Word[], evidence: readonly Word[]): number {
  const wanted = contentTerms(hypothesis)
  if (wanted.length === 0) return 0
  const words = shareOf(wanted, contentTerms(evidence))
  const pairs = pairsOf(hypothesis)
  // A single word has no pairs.
  return pairs.length === 0 ? words : (words + shareOf(pairs, pairsOf(evidence))) / 2
}

const pairsOf = (words: readonly Word[]): string[] => words.slice(1).map(({ term }, i) => `${words[i]?.term} ${term}`)

/** The share of `wanted` that is present, counting repetitions. */
function shareOf(wanted: readonly string[], present: readonly string[]): number {
  const left = new Map<string, number>()
  for (const term of present) left.set(term, (left.get(term) ?? 0) + 1)
  let found = 0
  for (const term of wanted) {
    const count = left.get(term) ?? 0
    if (count > 0) found += 1
    left.set(term, count - 1)
  }
  return found / wanted.length
}
