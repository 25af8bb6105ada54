import { changesScope } from '../faithfulness/word-classes.ts'
import type { Sentence } from './candidates.ts'
import { fits, mayHold } from './expected-kind.ts'
import type { SubQuestion } from './question.ts'
import { confidence, mayBeAbout } from './relevance.ts'

const maxPerPart = 3
/** A further sentence needs this share of the best one's worth, or less if it covers a new part of the question. */
const nearlyBest = 0.85
const minWorth = 0.6
const minNew = 0.15
/** Two sentences that share more of their words say the same. */
const maxShared = 0.6
const fitWorth = 0.15

/** The sentences that answer a part of the question, best first; none of less confidence. */
export function selectFor<T extends Sentence>(part: SubQuestion, sentences: readonly T[], minConfidence: number): T[] {
  const total = part.terms.reduce((sum, { weight }) => sum + weight, 0)
  const held = (of: (term: string) => boolean) =>
    part.terms.reduce((sum, { term, weight }) => sum + (of(term) ? weight : 0), 0) / total
  const rated = sentences
    .filter(
      (sentence) =>
        mayBeAbout(part, sentence) &&
        mayHold(part, sentence) &&
        saysMore(part, sentence) &&
        confidence(part, sentence) >= minConfidence,
    )
    .map((sentence) => {
      const fit = fits(part, sentence)
      // Retrieval knows all visible text, so its score counts as much as that of these few sentences.
      const worth =
        held(sentence.speaksOf) +
        aroundWorth * held(sentence.from.speaksOf) +
        sentence.from.score +
        (fit ? fitWorth : 0)
      return { sentence, fit, worth }
    })
    .sort((a, b) => b.worth - a.worth)
  const chosen: T[] = []
  const [best] = rated
  if (!best) return []
  for (const { sentence, fit, worth } of rated) {
    if (chosen.length === maxPerPart || worth < minWorth * best.worth) break
    if (best.fit && !fit) continue
    const added = held((term) => sentence.speaksOf(term) && !chosen.some((other) => other.speaksOf(term)))
    if (worth < nearlyBest * best.worth && added < minNew) continue
    if (chosen.some((other) => saysTheSame(other.terms, sentence.terms))) continue
    chosen.push(sentence)
  }
  return chosen
}

/** Weight of the question's words in the rest of the passage. */
const aroundWorth = 0.4

/** Whether a sentence does more than repeat the question, and has a term of this part, not only of another part. */
const saysMore = ({ terms, own }: SubQuestion, sentence: Sentence) =>
  [...sentence.terms].some((said) => !terms.some(({ term }) => term === said)) && own.some(sentence.speaksOf)

/** A denial does not repeat what it denies: the reader should see both. */
const saysTheSame = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  shared(a, b) > maxShared && scopeOf(a) === scopeOf(b)

const scopeOf = (terms: ReadonlySet<string>) =>
  [...terms]
    .filter((term) => changesScope(term, term))
    .sort()
    .join(' ')

/** Jaccard index. */
function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((term) => b.has(term)).length
  return both / (a.size + b.size - both)
}
