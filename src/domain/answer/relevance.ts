import type { Sentence } from './candidates.ts'
import type { SubQuestion } from './question.ts'

/**
 * Whether a sentence is about what is asked, by a sum of what speaks for it, each 0..1 but `amount`. The weights are a
 * logistic regression over ten public collections, each tried on those that it was fitted without: `npm run bench:answers -- foreign`.
 */
const weights = {
  /** How much of the question the retrieval found in the passage: it knows how rare each word is among all that is visible. */
  retrieved: 2.7,
  /** How much the passage stands out among the others: what is about nothing that is there matches all of them a little. */
  ahead: 2.7,
  /** The share of the words that say what is asked that stand in the passage; those that only frame a question count nothing. */
  told: 1.8,
  /** The share of the question's pairs of neighbouring words that stand together in the passage. */
  paired: 2.8,
  /** How many of its words the sentence has, as a logarithm: the only word of a question is easily found. */
  amount: 3.8,
  /** The share of the question's names and numbers that the passage lacks. */
  unnamed: -0.6,
}
const bias = -8.35
/** Of a question in another language: the analysis neither stems its words nor knows all of those that say little. */
const otherBias = -8.15
/** So many of the names must stand in the passage, whatever else does: `the mayor of Vik` is not the mayor of Rotterdam. */
const minNamed = 0.5
/** Of so few words that say what is asked, all must stand in the passage: a railway's operations are not a university's. */
const allOf = 2
/** And such a share of more: parts of a long question are found anywhere. */
const minTold = 0.4

export const isRelevant = (part: SubQuestion, sentence: Sentence): boolean =>
  (named(part, sentence) >= minNamed || mayBeMisheard(part, sentence)) &&
  told(part, sentence) >= (telling(part).length > allOf ? minTold : 1) &&
  relevance(part, sentence) >= 0

/** Whether names may be missing because they were misheard: a transcript has no capitals. Numbers are rarely misheard. */
const mayBeMisheard = ({ names }: SubQuestion, sentence: Sentence): boolean =>
  /^\P{Lu}*\p{Ll}\P{Lu}*$/u.test(sentence.quote) &&
  names.every((name) => isNamed(name, sentence) || !name.terms.some((term) => /\p{Nd}/u.test(term)))

/** The share of the question's names that the passage holds; 1 without any. */
function named({ names }: SubQuestion, sentence: Sentence): number {
  if (names.length === 0) return 1
  return names.filter((name) => isNamed(name, sentence)).length / names.length
}

const isNamed = ({ terms, acronym }: SubQuestion['names'][number], { from }: Sentence) =>
  terms.some((term) => from.speaksOf(term)) || (acronym !== null && from.abbreviates(acronym))

const telling = ({ terms }: SubQuestion) => terms.filter(({ weight }) => weight >= 1)

function told(part: SubQuestion, { from }: Sentence): number {
  const words = telling(part)
  return words.length === 0 ? 1 : words.filter(({ term }) => from.speaksOf(term)).length / words.length
}

function relevance(part: SubQuestion, sentence: Sentence): number {
  const { terms, pairs, isEnglish } = part
  const { from } = sentence
  const held = sum(terms, ({ term, weight }) => (sentence.speaksOf(term) ? weight : 0))
  const allPairs = sum(pairs, ({ weight }) => weight) || 1
  return (
    (isEnglish ? bias : otherBias) +
    weights.retrieved * from.score +
    weights.ahead * from.ahead +
    weights.told * told(part, sentence) +
    (weights.paired * sum(pairs, ({ first, second, weight }) => (from.joins(first, second) ? weight : 0))) / allPairs +
    weights.amount * Math.log(1 + held) +
    weights.unnamed * (1 - named(part, sentence))
  )
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((all, item) => all + of(item), 0)
