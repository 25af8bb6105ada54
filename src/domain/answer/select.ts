import type { Sentence } from './candidates.ts'
import { fits, mayHold } from './expected-kind.ts'
import type { SubQuestion } from './question.ts'
import { isRelevant } from './relevance.ts'

const maxPerPart = 3
/** A further sentence is worth so much of the best one, or less if it says something of the question that is not said yet. */
const nearlyBest = 0.85
const minWorth = 0.6
const minNew = 0.15
/** Sentences that share more of their words say the same. */
const maxShared = 0.6
const fitWorth = 0.15

/** The sentences that answer a part of the question, best first; none that is about something else. */
export function selectFor(part: SubQuestion, sentences: readonly Sentence[]): Sentence[] {
  const total = part.terms.reduce((sum, { weight }) => sum + weight, 0)
  const held = (of: (term: string) => boolean) =>
    part.terms.reduce((sum, { term, weight }) => sum + (of(term) ? weight : 0), 0) / total
  const rated = sentences
    .filter((sentence) => isRelevant(part, sentence) && mayHold(part, sentence) && saysMore(part, sentence))
    .map((sentence) => {
      const fit = fits(part, sentence)
      // The retrieval knows all that is visible, so its word counts as much as that of the few sentences at hand.
      const worth =
        held(sentence.speaksOf) +
        aroundWorth * held(sentence.from.speaksOf) +
        sentence.from.score +
        (fit ? fitWorth : 0)
      return { sentence, fit, worth }
    })
    .sort((a, b) => b.worth - a.worth)
  const chosen: Sentence[] = []
  const [best] = rated
  if (!best) return []
  for (const { sentence, fit, worth } of rated) {
    if (chosen.length === maxPerPart || worth < minWorth * best.worth) break
    if (best.fit && !fit) continue
    const added = held((term) => sentence.speaksOf(term) && !chosen.some((other) => other.speaksOf(term)))
    if (worth < nearlyBest * best.worth && added < minNew) continue
    if (chosen.some((other) => shared(other.terms, sentence.terms) > maxShared)) continue
    chosen.push(sentence)
  }
  return chosen
}

/** What the passage holds of the question around the sentence. */
const aroundWorth = 0.4

/** What only repeats the question answers nothing, nor does what has only the part of it that another one lent. */
const saysMore = ({ terms, own }: SubQuestion, sentence: Sentence) =>
  [...sentence.terms].some((said) => !terms.some(({ term }) => term === said)) && own.some(sentence.speaksOf)

/** Jaccard. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((term) => b.has(term)).length
  return both / (a.size + b.size - both)
}
