import { analyse } from '../../src/adapters/index-embedded/analysis/analyse.ts'
import type { EntailmentPair } from '../../src/ports/models/entailment.ts'

/**
 * ROUGE (Lin 2004) of a hypothesis against its premise, over folded words: the baseline without a model. `p` is the
 * share of the hypothesis's n-grams that the premise contains. `f1` is the harmonic mean of that and the share of the
 * premise's n-grams.
 */
export const rouge = {
  'ROUGE-1 p': (pair: EntailmentPair) => overlap(pair, 1).p,
  'ROUGE-2 p': (pair: EntailmentPair) => overlap(pair, 2).p,
  'ROUGE-2 f1': (pair: EntailmentPair) => overlap(pair, 2).f1,
  'ROUGE-L p': ({ premise, hypothesis }: EntailmentPair) => {
    const wanted = wordsOf(hypothesis)
    return wanted.length === 0 ? 0 : longestCommon(wanted, wordsOf(premise)) / wanted.length
  },
} as const

const wordsOf = (text: string): string[] => analyse(text).map(({ word }) => word)

function overlap({ premise, hypothesis }: EntailmentPair, n: number): { p: number; f1: number } {
  const [wanted, given] = [grams(wordsOf(hypothesis), n), grams(wordsOf(premise), n)]
  const left = new Map<string, number>()
  for (const gram of given) left.set(gram, (left.get(gram) ?? 0) + 1)
  let found = 0
  for (const gram of wanted) {
    const count = left.get(gram) ?? 0
    if (count > 0) found += 1
    left.set(gram, count - 1)
  }
  const total = wanted.length + given.length
  return { p: wanted.length === 0 ? 0 : found / wanted.length, f1: total === 0 ? 0 : (2 * found) / total }
}

const grams = (words: readonly string[], n: number): string[] =>
  words.slice(n - 1).map((_, i) => words.slice(i, i + n).join(' '))

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const lengths = new Uint32Array(b.length + 1)
  for (const word of a) {
    let diagonal = 0
    for (const [j, other] of b.entries()) {
      const above = lengths[j + 1] ?? 0
      lengths[j + 1] = word === other ? diagonal + 1 : Math.max(above, lengths[j] ?? 0)
      diagonal = above
    }
  }
  return lengths[b.length] ?? 0
}
