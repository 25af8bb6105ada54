import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { Evidence } from './evidence.ts'
import { joinedNames, type NamedThing } from './names.ts'
import type { Expected, SubQuestion } from './question.ts'
import { fits } from './relevance.ts'

/** What is compared where a question asks who is older, or which is larger. */
const kinds: readonly [RegExp, Expected][] = [
  [
    /\b(?:old(?:er|est)|young(?:er|est)|new(?:er|est)|first|earli(?:er|est)|lat(?:er|est)|(?:more|most) recent(?:ly)?)\b/iu,
    'time',
  ],
  [/\b(?:more|most|fewer|fewest|(?:larg|bigg|small|tall|high|long)(?:er|est))\b/iu, 'number'],
]
/** Weights of the kind that is compared and of the passage's rank, beside the share of the question that is said. */
const kindWorth = 0.3
const retrievedWorth = 0.1

/**
 * What the passages tell of the things that a question compares or joins: of each the sentence that says most of the rest
 * of the question. Empty unless passages tell of all of them, and at least two are about one each.
 */
export function comparedIn(
  analysis: TextAnalysis,
  question: string,
  part: SubQuestion,
  pool: readonly Evidence[],
  shares: readonly number[],
): Evidence[] {
  const names = joinedNames(question, analysis.words(question))
  const named = new Set(names.flatMap(({ terms }) => terms))
  const compared = { ...part, expects: kinds.find(([pattern]) => pattern.test(question))?.[1] ?? part.expects }
  const worth = (one: Evidence) =>
    part.terms.reduce((sum, { term }, i) => sum + (!named.has(term) && one.speaksOf(term) ? (shares[i] ?? 0) : 0), 0) +
    (fits(compared, one) ? kindWorth : 0) +
    retrievedWorth * one.from.score
  const told = names.flatMap((name) => bestBy(about(name, pool), worth)?.item ?? [])
  const isTold = names.every(({ terms }) => told.some(({ from }) => terms.every((term) => from.speaksOf(term))))
  return isTold && new Set(told.map(({ passage }) => passage)).size > 1 ? told : []
}

/** The sentences of the passages that are about what has this name, and about little else. */
function about({ terms }: NamedThing, pool: readonly Evidence[]): Evidence[] {
  const all = pool.filter(({ subject }) => terms.every((term) => subject.terms.has(term)))
  const least = Math.min(...all.map(({ subject }) => subject.terms.size))
  return all.filter(({ subject }) => subject.terms.size === least)
}

/** The item of most worth, the first of equal ones, with its worth; null without any. */
export function bestBy<T>(items: Iterable<T>, worthOf: (item: T) => number): { item: T; worth: number } | null {
  let best: { item: T; worth: number } | null = null
  for (const item of items) {
    const worth = worthOf(item)
    if (!best || worth > best.worth) best = { item, worth }
  }
  return best
}
