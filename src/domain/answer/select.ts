import type { Sentence } from './candidates.ts'
import type { SubQuestion } from './question.ts'
import { fits, support, weigh } from './support.ts'

/** Below it the best sentence is taken not to answer: `npm run bench:answers` measures what that costs. */
export const leastSupport = 0.5
const mostPerPart = 3
/** A further sentence has to say something of the question that is not said yet. */
const leastNew = 0.15
/** Sentences that share more of their words say the same. */
const mostShared = 0.6
const fitWorth = 0.15
const scoreWorth = 0.1

/** The sentences that answer a part of the question, best first; none below the threshold of support. */
export function selectFor(part: SubQuestion, sentences: readonly Sentence[]): Sentence[] {
  const weights = weigh(part.terms, sentences)
  const total = weights.values().reduce((sum, weight) => sum + weight, 0)
  const rated = sentences
    .map((sentence) => {
      const supported = support(weights, sentence)
      const worth = supported + (fits(part, sentence) ? fitWorth : 0) + scoreWorth * sentence.score
      return { sentence, supported, worth }
    })
    .filter(({ supported, sentence }) => supported >= leastSupport && saysMore(part, sentence))
    .sort((a, b) => b.worth - a.worth)
  const chosen: Sentence[] = []
  const said = new Set<string>()
  for (const { sentence } of rated) {
    if (chosen.length === mostPerPart) break
    const added = weights.entries().reduce((sum, [t, w]) => sum + (sentence.terms.has(t) && !said.has(t) ? w : 0), 0)
    if (chosen.length > 0 && added < leastNew * total) continue
    if (chosen.some((other) => shared(other.terms, sentence.terms) > mostShared)) continue
    chosen.push(sentence)
    for (const term of sentence.terms) said.add(term)
  }
  return chosen
}

/** The best sentence's support, before any threshold; 0 without sentences. */
export function bestSupport(part: SubQuestion, sentences: readonly Sentence[]): number {
  const weights = weigh(part.terms, sentences)
  return sentences.reduce((most, sentence) => Math.max(most, support(weights, sentence)), 0)
}

/** What only repeats the question answers nothing. */
const saysMore = ({ terms }: SubQuestion, sentence: Sentence) =>
  [...sentence.terms].some((term) => !terms.includes(term))

/** Jaccard. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((term) => b.has(term)).length
  return both / (a.size + b.size - both)
}
