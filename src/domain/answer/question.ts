import type { TextAnalysis } from '../../ports/text-analysis.ts'
import { contentTerms } from '../text/content-terms.ts'

/** What an answer should hold, as far as the question's first words tell. */
export type Expected = 'number' | 'time' | 'reason' | 'name'

/** One of the things that are asked. */
export interface SubQuestion {
  /** Distinct content terms, in order; of a question that holds nothing but stop words, those. */
  terms: string[]
  /** The terms among them that are this part's own: `who leads it?` takes the rest from the part before it. */
  own: string[]
  expects: Expected | null
}

/** More are taken as one. */
const mostParts = 4
const pronouns = /\b(?:it|its|they|them|their|this|that|these|those|there|he|she|him|her|his)\b/iu
/** A question of more terms is judged by the first of them. */
const mostTerms = 64

const marks = /(?<=[?？؟])\s*/u
/** Where another question word or auxiliary follows, `and` joins two questions; elsewhere it joins things. */
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

/** A question taken apart, behind its question marks and at `and` before another question word. */
export function analyseQuestion(analysis: TextAnalysis, asked: string): SubQuestion[] {
  const question = asked.trim().replace(/\s+/gu, ' ')
  const texts = question.split(marks).flatMap((text) => text.split(joints))
  const parts: SubQuestion[] = []
  for (const text of texts) {
    const part = subQuestion(analysis, text)
    const before = pronouns.test(text) ? (parts.at(-1)?.terms ?? []) : []
    if (part.saysSomething) parts.push({ ...part, terms: [...new Set([...part.own, ...before])] })
  }
  return parts.length > 1 && parts.length <= mostParts ? parts : [subQuestion(analysis, question)]
}

function subQuestion(analysis: TextAnalysis, text: string): SubQuestion & { saysSomething: boolean } {
  const words = analysis.words(text)
  const own = [...new Set(contentTerms(words))].slice(0, mostTerms)
  const expects = expectations.find(([pattern]) => pattern.test(text))?.[1] ?? null
  return { terms: own, own, expects, saysSomething: words.some(({ stop }) => !stop) }
}
