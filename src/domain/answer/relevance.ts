import { cardinalOf } from '../text/numbers.ts'
import type { Expected, SubQuestion } from './question.ts'
import type { Sentence } from './quotable-sentences.ts'

/**
 * Evidence that a sentence answers the question, as a sum of features, each 0..1 except `amount`. The weights were fitted
 * on public collections, to separate their own questions from the same ones with the evidence removed, and from those of
 * other topics: `npm run bench:answers`.
 */
const weights = {
  /** The question's share that retrieval found in the passage: it knows how rare each word is in all visible text. */
  retrieved: 2.4,
  /** How far the passage is above the others: a question without a matching topic matches all passages a little. */
  ahead: 4.8,
  /** The share of the question's words in the sentence, and in it and its neighbours. */
  held: 2.2,
  near: 0.5,
  /** The share of the question's adjacent word pairs that are adjacent in the passage. */
  paired: 2.3,
  /** The logarithm of the number of the question's words: a single word is easily found. */
  amount: 4.5,
  /** The share of the question's names and numbers that the passage lacks. */
  unnamed: -6.5,
}
const bias = -10.6
/** In another language the analysis does not stem the words, and does not know all stop words. */
const otherLanguage = 0.3
/** For a part of a question: what retrieval says is about all parts together. */
const usuallyAhead = 0.25
/** A logistic curve (Platt 1999) from that evidence to the share of right answers, where half of the questions have one. */
const calibration = { slope: 0.3, offset: -0.7 }

/** The passage must contain more than this share of the words of the topic: a railway's operations are not a university's. */
const minTold = 0.5

/** The probability that the sentence answers the question, 0..1. */
export function confidence(part: SubQuestion, sentence: Sentence): number {
  return 1 / (1 + Math.exp(-calibration.slope * evidence(part, sentence) - calibration.offset))
}

/** Whether the passage contains enough words of the topic; words that only frame a question do not count. */
export function mayBeAbout({ terms, isEnglish }: SubQuestion, { from }: Sentence): boolean {
  if (!isEnglish) return true
  const telling = terms.filter(({ weight }) => weight >= 1)
  return telling.length === 0 || telling.filter(({ term }) => from.speaksOf(term)).length > telling.length * minTold
}

/** The share of the question's names that the passage contains; 1 if there are none. */
function named({ names }: SubQuestion, sentence: Sentence): number {
  if (names.length === 0) return 1
  return names.filter((name) => isNamed(name, sentence)).length / names.length
}

const isNamed = ({ terms }: SubQuestion['names'][number], { from }: Sentence) =>
  terms.some((term) => from.speaksOf(term))

function evidence(part: SubQuestion, sentence: Sentence): number {
  const { terms, pairs, isEnglish, isPart } = part
  const { from } = sentence
  const total = sum(terms, ({ weight }) => weight) || 1
  const held = sum(terms, ({ term, weight }) => (sentence.speaksOf(term) ? weight : 0))
  const near = sum(terms, ({ term, weight }) => (sentence.isNear(term) ? weight : 0))
  const told = sum(terms, ({ term, weight }) => (from.speaksOf(term) ? weight : 0))
  const allPairs = sum(pairs, ({ weight }) => weight) || 1
  return (
    bias +
    (isEnglish ? 0 : otherLanguage) +
    weights.retrieved * (isPart ? told / total : from.score) +
    weights.ahead * (isPart ? usuallyAhead : from.ahead) +
    (weights.held * held) / total +
    (weights.near * near) / total +
    (weights.paired * sum(pairs, ({ first, second, weight }) => (from.joins(first, second) ? weight : 0))) / allPairs +
    weights.amount * Math.log(1 + held) +
    weights.unnamed * (1 - named(part, sentence))
  )
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number => items.reduce((all, item) => all + of(item), 0)

const letters = /\p{L}+/gu
const amounts =
  /\p{N}|\b(?:hundreds?|thousands?|millions?|billions?|dozens?|half|twice|once|daily|weekly|monthly|yearly|annually|hourly|every|each|several|few|many|all|none|no|percent|single|double|pair|couple)\b/iu
const dates =
  /\b\p{Nd}{1,2}[:.h]\p{Nd}{2}\b|\b(?:1\p{Nd}|20)\p{Nd}{2}\b|\p{Nd}\s?(?:[ap]\.?m\b|o['’]clock|[年月日時分])|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|noon|midnight|morning|evening)\b/iu
/** Words that may say when something is: a date, a part of a day or year, or a simultaneous event. */
const times =
  /\p{N}|\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|century|centuries|years?|months?|weeks?|days?|hours?|nights?|noon|midnight|mornings?|afternoons?|evenings?|dawn|dusk|sunrise|sunset|spring|summer|autumn|fall|winter|today|yesterday|tomorrow|when|after|before|during|until|while|since|once|era|age)\b/iu

const looks: Record<Expected, (text: string) => boolean> = {
  number: (text) => amounts.test(text) || spellsNumber(text),
  time: (text) => dates.test(text),
  reason: (text) =>
    /, so\b|\b(?:because|since|due to|owing to|caused|causes?|as a result|therefore|so that|in order to|led to|reasons?)\b/iu.test(
      text,
    ),
  name: (text) => /[^.!?]\s\p{Lu}/u.test(text),
}

const spellsNumber = (text: string) =>
  (text.toLowerCase().match(letters) ?? []).some((word) => cardinalOf(word) !== null)

/** Whether the sentence contains the kind of thing that the question asks for. */
export const fits = ({ expects }: SubQuestion, { quote }: Sentence): boolean =>
  expects !== null && looks[expects](quote)

/**
 * Whether the sentence can contain the expected kind. A number or a time must be in the sentence or a neighbour. A
 * reason may be given without a word for it, and a name without capitals.
 */
export function mayHold({ expects }: SubQuestion, { context }: Sentence): boolean {
  if (expects === 'number') return looks.number(context)
  return expects !== 'time' || times.test(context) || spellsNumber(context)
}
