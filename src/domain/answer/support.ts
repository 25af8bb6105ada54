import type { Sentence } from './candidates.ts'
import type { Expected, SubQuestion } from './question.ts'

/** What a term of the question is worth to a sentence that does not hold it, where its lead or its passage does. */
const ledWorth = 1
const aroundWorth = 0.4

/** How telling each term is: the rarer among the sentences, the more (the idf of BM25, Robertson & Zaragoza 2009). */
export function weigh(terms: readonly string[], sentences: readonly Sentence[]): Map<string, number> {
  return new Map(
    terms.map((term) => {
      const df = sentences.reduce((count, sentence) => count + (sentence.terms.has(term) ? 1 : 0), 0)
      return [term, Math.log(1 + (sentences.length - df + 0.5) / (df + 0.5))]
    }),
  )
}

/** How much of the question the sentence speaks of, each term by its weight, 0..1. */
export function support(weights: ReadonlyMap<string, number>, { terms, led, around }: Sentence): number {
  let [found, total] = [0, 0]
  for (const [term, weight] of weights) {
    total += weight
    if (terms.has(term)) found += weight
    else if (led.has(term)) found += ledWorth * weight
    else if (around.has(term)) found += aroundWorth * weight
  }
  return total === 0 ? 0 : found / total
}

const looks: Record<Expected, RegExp> = {
  number: /\p{Nd}|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|thousand|million)\b/iu,
  time: /\b\p{Nd}{1,2}[:.h]\p{Nd}{2}\b|\b(?:1\p{Nd}|20)\p{Nd}{2}\b|\p{Nd}\s?(?:[ap]\.?m\b|o['’]clock|[年月日時分])|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|june|july|august|september|october|november|december|noon|midnight|morning|evening)\b/iu,
  reason:
    /, so\b|\b(?:because|since|due to|owing to|caused|causes?|as a result|therefore|so that|in order to|led to|reasons?)\b/iu,
  name: /[^.!?]\s\p{Lu}/u,
}

/** Whether the sentence holds the kind of thing that is asked for. */
export const fits = ({ expects }: SubQuestion, { quote }: Sentence): boolean =>
  expects !== null && looks[expects].test(quote)
