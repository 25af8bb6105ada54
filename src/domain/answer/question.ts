import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import { contentTerms } from '../text/content-terms.ts'
import { isEnglish, isFraming } from './question-words.ts'

/** What an answer should contain, judged by the question's first words. */
export type Expected = 'number' | 'time' | 'reason' | 'name'

export interface QuestionTerm {
  term: string
  /** How much the term says about the topic: most for a name or number, least for a word that only marks a question. */
  weight: number
  /** Contains digits, or is capitalised and not at the start of a sentence. */
  isName: boolean
}

/** Words of one name; in lower case if they are its initials. */
interface Name {
  terms: string[]
  acronym: string | null
}

/** Two content terms that are adjacent in the question. */
interface Pair {
  first: string
  second: string
  weight: number
}

/** One of the things that the question asks. */
export interface SubQuestion {
  /** Distinct content terms, in order; if the question has only stop words, those. */
  terms: QuestionTerm[]
  pairs: Pair[]
  /** The names and numbers among them, from adjacent words. */
  names: Name[]
  /** Its part of the question. */
  text: string
  /** Its content words in order, a repeated one each time, with UTF-16 offsets in its text. */
  words: { term: string; start: number; end: number }[]
  /** The terms that are in this part itself: `who leads it?` takes the rest from the part before it. */
  own: string[]
  expects: Expected | null
  isEnglish: boolean
  /** In a script without spaces between words. */
  isUnspaced: boolean
  /** One of several parts: retrieval looked for the words of all. */
  isPart: boolean
}

/** A question with more parts is taken as one part. */
const maxParts = 4
const pronouns = /\b(?:it|its|they|them|their|this|that|these|those|there|he|she|him|her|his)\b/iu
/** Of a question with more terms, only the first ones count. */
const maxTerms = 64

const noSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const marks = /(?<=[?？؟])\s*/u
/** `and` joins two questions where another question word or auxiliary follows; elsewhere it joins things. */
const joints =
  /(?:[,;]\s*|\s+)(?:and|or|und|et|y|e)\s+(?=(?:who|whom|whose|what|when|where|why|which|how)\b)|[;；]\s*/giu

const expectations: readonly [RegExp, Expected][] = [
  [
    /\bhow (?:many|much|long|far|old|often|high|deep|fast|big|large|tall|heavy)\b|\bwhat (?:number|percentage|share)\b/iu,
    'number',
  ],
  [/\bwhen\b|\bwhat (?:time|date|day|year|month)\b|\bwhich (?:date|day|year|month)\b/iu, 'time'],
  [/\bwhy\b|\bwhat (?:caused|causes)\b|\bhow come\b/iu, 'reason'],
  [/\bwho\b|\bwhom\b|\bwhose\b|\bwhere\b/iu, 'name'],
]

/** Splits a question after its question marks and at `and` before another question word. */
export function analyseQuestion(analysis: TextAnalysis, asked: string): SubQuestion[] {
  const question = asked.trim().replace(/\s+/gu, ' ')
  const texts = question.split(marks).flatMap((text) => text.split(joints))
  const parts: SubQuestion[] = []
  for (const text of texts) {
    const part = subQuestion(analysis, text)
    const before = pronouns.test(text) ? (parts.at(-1)?.terms ?? []) : []
    const lent = before.filter(({ term }) => !part.own.includes(term))
    if (part.saysSomething) parts.push({ ...part, terms: [...part.terms, ...lent] })
  }
  if (parts.length < 2 || parts.length > maxParts) return [subQuestion(analysis, question)]
  return parts.map((part) => ({ ...part, isPart: true }))
}

const framingWeight = 0.3
const nameWeight = 1.5
/** Maximum characters between two adjacent words. */
const maxApart = 12

function subQuestion(analysis: TextAnalysis, text: string): SubQuestion & { saysSomething: boolean } {
  const words = analysis.words(text)
  const own = [...new Set(contentTerms(words))].slice(0, maxTerms)
  const first = new Map(words.toReversed().map((word) => [word.term, word]))
  const terms = own.map((term) => weighed(term, first.get(term), text))
  const weights = new Map(terms.map(({ term, weight }) => [term, Math.min(1, weight)]))
  const content = words.filter(({ term }) => weights.has(term)).slice(0, maxTerms)
  const pairs = content.slice(1).flatMap((word, i) => {
    const before = content[i]
    if (!before || word.start - before.end > maxApart) return []
    const weight = (weights.get(before.term) ?? 0) + (weights.get(word.term) ?? 0)
    return [{ first: before.term, second: word.term, weight }]
  })
  const expects = expectations.find(([pattern]) => pattern.test(text))?.[1] ?? null
  return {
    terms,
    pairs,
    names: namesOf(content, terms, text),
    text,
    words: content.map(({ term, start, end }) => ({ term, start, end })),
    own,
    expects,
    isEnglish: isEnglish(
      text,
      words.map(({ word }) => word),
    ),
    isUnspaced: noSpaces.test(text),
    isPart: false,
    saysSomething: words.some(({ stop }) => !stop),
  }
}

function weighed(term: string, word: Word | undefined, text: string): QuestionTerm {
  const written = word ? text.slice(word.start, word.end) : term
  const isName = /\p{Nd}/u.test(written) || ((word?.start ?? 0) > 0 && /^\p{Lu}/u.test(written))
  return { term, isName, weight: isName ? nameWeight : isFraming(term) ? framingWeight : 1 }
}

function namesOf(words: readonly Word[], terms: readonly QuestionTerm[], text: string): Name[] {
  const named = new Set(terms.flatMap(({ term, isName }) => (isName ? [term] : [])))
  const names: Name[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const word of words) {
    if (!named.has(word.term)) continue
    const last = names.at(-1)
    if (last && word.start - end <= 1) last.terms.push(word.term)
    else
      names.push({
        terms: [word.term],
        acronym: /^\p{Lu}+$/u.test(text.slice(word.start, word.end)) ? word.word : null,
      })
    end = word.end
  }
  return names
}
