import type { Sentence } from './candidates.ts'
import type { SubQuestion } from './question.ts'

/**
 * Whether a sentence is about the question, as a sum of features, each 0..1 except `amount`. The weights were fitted on
 * public collections to separate questions from those of other topics, and tested on others: `npm run bench:answers`.
 */
const weights = {
  /** The question's share that retrieval found in the passage: it knows how rare each word is in all visible text. */
  retrieved: 3.1,
  /** How far the passage is above the others: a question without a matching topic matches all passages a little. */
  ahead: 2.4,
  /** The share of the question's words in the sentence, and in it and its neighbours. */
  held: 2.8,
  near: 0.5,
  /** The share of the question's adjacent word pairs that are adjacent in the passage. */
  paired: 3.1,
  /** The logarithm of the number of the question's words: a single word is easily found. */
  amount: 1.9,
  /** The share of the question's names and numbers that the passage lacks. */
  unnamed: -1,
}
const bias = -6.4
/** For a question in another language: the analysis does not stem its words, and does not know all its stop words. */
const otherBias = -6.1
/** The passage must contain this share of the names: `the mayor of Vik` is not the mayor of Rotterdam. */
const minNamed = 0.5
/** And more than this share of the words of the topic: a railway's operations are not a university's. */
const minTold = 0.5

export const isRelevant = (part: SubQuestion, sentence: Sentence): boolean =>
  (named(part, sentence) >= minNamed || mayBeMisheard(part, sentence)) &&
  informed(part, sentence) &&
  relevance(part, sentence) >= 0

/** Whether names may be missing because they were misheard: a transcript has no capitals. Numbers are rarely misheard. */
const mayBeMisheard = ({ names }: SubQuestion, sentence: Sentence): boolean =>
  /^\P{Lu}*\p{Ll}\P{Lu}*$/u.test(sentence.quote) &&
  names.every((name) => isNamed(name, sentence) || !name.terms.some((term) => /\p{Nd}/u.test(term)))

/** Whether the passage contains enough words of the topic; words that only frame a question do not count. */
function informed({ terms, isEnglish }: SubQuestion, { from }: Sentence): boolean {
  if (!isEnglish) return true
  const telling = terms.filter(({ weight }) => weight >= 1)
  return telling.length === 0 || telling.filter(({ term }) => from.speaksOf(term)).length > telling.length * minTold
}

/** The share of the question's names that the passage contains; 1 if there are none. */
function named({ names }: SubQuestion, sentence: Sentence): number {
  if (names.length === 0) return 1
  return names.filter((name) => isNamed(name, sentence)).length / names.length
}

const isNamed = ({ terms, acronym }: SubQuestion['names'][number], { from }: Sentence) =>
  terms.some((term) => from.speaksOf(term)) || (acronym !== null && from.abbreviates(acronym))

function relevance(part: SubQuestion, sentence: Sentence): number {
  const { terms, pairs, isEnglish } = part
  const { from } = sentence
  const total = sum(terms, ({ weight }) => weight) || 1
  const held = sum(terms, ({ term, weight }) => (sentence.speaksOf(term) ? weight : 0))
  const near = sum(terms, ({ term, weight }) => (sentence.isNear(term) ? weight : 0))
  const allPairs = sum(pairs, ({ weight }) => weight) || 1
  return (
    (isEnglish ? bias : otherBias) +
    weights.retrieved * from.score +
    weights.ahead * from.ahead +
    (weights.held * held) / total +
    (weights.near * near) / total +
    (weights.paired * sum(pairs, ({ first, second, weight }) => (from.joins(first, second) ? weight : 0))) / allPairs +
    weights.amount * Math.log(1 + held) +
    weights.unnamed * (1 - named(part, sentence))
  )
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((all, item) => all + of(item), 0)
