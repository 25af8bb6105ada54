import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import { contentTerms } from '../text/words.ts'

/** What an answer should contain, judged by the question's first words. */
export type Expected = 'number' | 'time' | 'reason' | 'name'

interface QuestionTerm {
  term: string
  /** How much the term says about the topic: most for a name or number, least for a word that only marks a question. */
  weight: number
  /** Contains digits, or is capitalised and not at the start of a sentence. */
  isName: boolean
}

/** Words of one name. */
interface Name {
  terms: string[]
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
    names: namesOf(content, terms),
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

function namesOf(words: readonly Word[], terms: readonly QuestionTerm[]): Name[] {
  const named = new Set(terms.flatMap(({ term, isName }) => (isName ? [term] : [])))
  const names: Name[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const word of words) {
    if (!named.has(word.term)) continue
    const last = names.at(-1)
    if (last && word.start - end <= 1) last.terms.push(word.term)
    else names.push({ terms: [word.term] })
    end = word.end
  }
  return names
}

/**
 * Words that mark a question or name the kind of thing it asks for, but rarely its topic: a text may answer without
 * them. English words are stems of the analysis. Other languages also list their most common function words, which the
 * analysis does not know.
 */
const english = new Set(
  `name call mani much type kind year term number time one two three first main major mean happen occur take place locat use
  made make give given known consid describ find said say state includ becom becam provid show play role part person
  peopl thing way exampl result reason purpos differ similar relat form caus effect follow origin current modern day often
  usual typic general tell sort along use besid also someth someon anyon member group countri citi compani world new work
  produc come get go like do long far old larg largest big biggest small high highest good refer exist appear total averag
  percentag percent amount rate import common popular begin end area region level`.split(/\s+/),
)

const others = new Set(
  `wer wen wem wessen wann warum wieso wie viel viele was welch welche welcher welches welchem welchen wofur woran womit der
  die das den dem des ein eine einen einem einer eines und oder ist sind war waren wird wurde wurden werden hat haben hatte
  sich mit von vom zu zum zur bei beim fur auf aus nach uber unter durch als auch nicht man im ihr ihre sein seine es er sie

  que quien quienes cual cuale cuando donde como cuanto cuanta cuantos cuanta por para con sin de del la el los las un una
  unos unas y o en se su sus lo le les es son fue fueron era eran ha han habia al qui quand ou comment pourquoi combien quel
  quell est sont ete des du dan sur avec pour par une le

  кто что где когда почему как какой какая какое какие каким каких какого какую сколько чем чему чего кого кому который
  в во на с со и или не по из у о об к от до за для был была было были быть это его ее их он она они

  kim kimin kimler ne neden nasil nerede nereye nereden hangi hangisi kac zaman bir ve ile icin olarak olan en bu da de mi
  midir nedir kimdir

  من ما ماذا متي متى اين أين كيف لماذا لم كم اي أي التي الذي هو هي في علي على الي إلى عن كان كانت و او أو هل قد تم

  कौन क्या कब कहाँ कहां क्यों कैसे कितने कितना कितनी किस किसने किसे कौनसा कौनसे की का के को में से पर ने है हैं था थे थी
  और या एक यह वह लिए द्वारा हुआ हुई

  谁 什么 哪 哪里 哪个 哪些 哪一 何 何时 多少 几 为什么 如何 怎么 怎样 是 的 了 在 和 与 有 被 吗 呢 个 这 那 於 于 中 由 以`.split(
    /\s+/,
  ),
)

/** Whether a term says little about the topic of the question. */
const isFraming = (term: string): boolean => english.has(term) || others.has(term)

const englishOnly = /\b(?:what|which|who|whom|whose|when|where|why|how|does|did|are|were|the|of)\b/iu
const otherScript = /\p{L}/u
const latin = /\p{Script=Latin}/u

/** Whether a question is in English, judged by its most common words and its script. */
function isEnglish(text: string, words: readonly string[]): boolean {
  if (englishOnly.test(text)) return true
  return !words.some((word) => others.has(word)) && (latin.test(text) || !otherScript.test(text))
}
