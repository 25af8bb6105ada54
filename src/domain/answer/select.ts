import type { Sentence } from './candidates.ts'
import type { SubQuestion } from './question.ts'
import { fits, support, weigh } from './support.ts'

/**
 * A question is taken to be spoken of where the retrieval found so much of it in a passage, and a sentence so much among
 * the sentences at hand; or where a sentence alone has most of its terms, which holds for few Units too, whose words are
 * all equally rare. `npm run bench:answers` measures what that lets through and what it costs.
 */
const leastRelevance = 0.45
const leastSupport = 0.25
const mostTerms = 0.6
const mostPerPart = 3
/** A further sentence is worth so much of the best one, or less if it says something of the question that is not said yet. */
const nearlyBest = 0.85
const leastWorth = 0.6
const leastNew = 0.15
/** Sentences that share more of their words say the same. */
const mostShared = 0.6
const fitWorth = 0.15

/** The sentences that answer a part of the question, best first; none below the threshold of support. */
export function selectFor(part: SubQuestion, sentences: readonly Sentence[]): Sentence[] {
  const weights = weigh(part.terms, sentences)
  const isRelevant = sentences.some(({ score }) => score >= leastRelevance)
  const total = weights.values().reduce((sum, weight) => sum + weight, 0)
  const rated = sentences
    .map((sentence) => {
      const supported = support(weights, sentence)
      // The retrieval knows all that is visible, so its word counts as much as that of the few sentences at hand.
      const fit = fits(part, sentence)
      const worth = supported + sentence.score + (fit ? fitWorth : 0)
      return { sentence, supported, fit, worth }
    })
    .filter(({ supported, sentence }) => (isRelevant && supported >= leastSupport) || holdsMost(part, sentence))
    .filter(({ sentence }) => saysMore(part, sentence))
    .sort((a, b) => b.worth - a.worth)
  const chosen: Sentence[] = []
  const said = new Set<string>()
  const [best] = rated
  if (!best) return []
  for (const { sentence, fit, worth } of rated) {
    if (chosen.length === mostPerPart || worth < leastWorth * best.worth) break
    if (best.fit && !fit) continue
    const added = weights.entries().reduce((sum, [t, w]) => sum + (sentence.terms.has(t) && !said.has(t) ? w : 0), 0)
    if (worth < nearlyBest * best.worth && added < leastNew * total) continue
    if (chosen.some((other) => shared(other.terms, sentence.terms) > mostShared)) continue
    chosen.push(sentence)
    for (const term of sentence.terms) said.add(term)
  }
  return chosen
}

/** What only repeats the question answers nothing, nor does what has only the part of it that another one lent. */
const saysMore = ({ terms, own }: SubQuestion, sentence: Sentence) =>
  [...sentence.terms].some((term) => !terms.includes(term)) && own.some((term) => speaksOf(sentence, term))

const holdsMost = ({ terms }: SubQuestion, sentence: Sentence) =>
  terms.filter((term) => speaksOf(sentence, term)).length >= mostTerms * terms.length

const speaksOf = ({ terms, led }: Sentence, term: string) => terms.has(term) || led.has(term)

/** Jaccard. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((term) => b.has(term)).length
  return both / (a.size + b.size - both)
}
