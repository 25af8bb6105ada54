import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { ascii } from './fold.ts'
import { functionWords } from './function-words.ts'

/** Scripts of one language, or of one language mainly; null if the letters are those of another one. */
const scripts: readonly { script: RegExp; languageOf: (text: string) => string | null }[] = [
  { script: /\p{Script=Greek}/u, languageOf: () => 'el' },
  { script: /\p{Script=Devanagari}/u, languageOf: () => 'hi' },
  { script: /\p{Script=Armenian}/u, languageOf: () => 'hy' },
  { script: /\p{Script=Tamil}/u, languageOf: () => 'ta' },
  // Persian, Urdu and Kurdish have letters that Arabic lacks.
  { script: /\p{Script=Arabic}/u, languageOf: (text) => (/[پچژگکیٹڈڑںھہے]/u.test(text) ? null : 'ar') },
  // Ukrainian, Belarusian, Serbian and Macedonian have letters that Russian lacks.
  {
    script: /\p{Script=Cyrillic}/u,
    languageOf: (text) => (/[іїєґўђјљњћџѓќѕ]/iu.test(text) || isBulgarian(text) ? null : 'ru'),
  },
]

/** Bulgarian lacks letters that every longer Russian text has. */
const isBulgarian = (text: string): boolean => text.length > 200 && !/[ыэё]/iu.test(text)

/** Letters that only Vietnamese has, as far as languages with Latin letters here go. */
const vietnamese = /[đơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/giu
const vietnameseShare = 0.1

/** Scripts whose languages have no rules for their words here. Japanese has Chinese characters too. */
const others: readonly [script: RegExp, language: string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Hebrew}/u, 'he'],
]

/** The language of a text whose letters are mostly not Latin; `und` for a script that is not known here, null for Latin. */
export function languageOfScript(text: string): string | null {
  const { language, latin } = scriptOf(text)
  if (language !== null || latin > 0.5 || !/\p{L}/u.test(text)) return language
  return others.find(([script]) => script.test(text))?.[1] ?? 'und'
}

const letters = /\p{L}/gu
const count = (text: string, some: RegExp): number => text.match(some)?.length ?? 0

/** The beginning says which script it is. UTF-16 units. */
const readForScript = 300

/** What is counted: letters, Latin ones, and characters of each script. */
const counted = [/\p{L}/u, /\p{Script=Latin}/u, ...scripts.map(({ script }) => script)]
/** By code point, the positions in `counted`. Matching each character again takes several times as long. */
const known = new Map<number, readonly number[]>()
const cacheLimit = 20_000

function countersOf(letter: string): readonly number[] {
  const point = letter.codePointAt(0) ?? 0
  const found = known.get(point)
  if (found !== undefined) return found
  const counters = counted.flatMap((pattern, i) => (pattern.test(letter) ? [i] : []))
  if (known.size >= cacheLimit) known.clear()
  known.set(point, counters)
  return counters
}

/** By position in `counted`. */
function countStart(text: string): number[] {
  const counts = counted.map(() => 0)
  for (const letter of text.slice(0, readForScript))
    for (const i of countersOf(letter)) counts[i] = (counts[i] ?? 0) + 1
  return counts
}

/** The language that the letters alone show, ISO 639 or null; and which part of the letters at the beginning is Latin, 0..1. */
function scriptOf(text: string): { language: string | null; latin: number } {
  if (ascii.test(text)) return { language: null, latin: 1 }
  const [letterCount = 0, latinCount = 0, ...others] = countStart(text)
  const latin = latinCount / Math.max(1, letterCount)
  const found = latin > 0.5 ? undefined : scripts.find((_, i) => (others[i] ?? 0) > letterCount / 2)
  return { language: found === undefined ? vietnameseOrNull(text) : found.languageOf(text), latin }
}

function vietnameseOrNull(text: string): string | null {
  const composed = text.normalize('NFC')
  const own = count(composed, vietnamese)
  // Most texts have none, and counting all letters takes much longer.
  return own > 0 && own / count(composed, letters) > vietnameseShare ? 'vi' : null
}

/** How much of the beginning of a long text is read. UTF-16 units. */
const readLetters = 1_000
const readForDetector = 200
/** Fewer words are too short a text for the n-grams of letters. */
const fewWords = 6
const manyWords = 12

const codes = Object.keys(functionWords)
/** By function word, the languages that have it, as positions in `codes`. */
const languagesOf = new Map<string, number[]>()
for (const [code, words] of Object.values(functionWords).entries()) {
  for (const word of new Set(words.split(' '))) languagesOf.set(word, [...(languagesOf.get(word) ?? []), code])
}

/**
 * How many words of its own a language needs, which share of all words these are, and which share of them the next
 * language may have at most.
 */
const ofText = { enough: 1.6, share: 0.04, next: 0.75 }
const ofQuery = { enough: 0.6, share: 0.1, next: 0.75 }

/**
 * The language of a text by its script and its function words: ISO 639, null if they do not decide. Fast and the same
 * everywhere.
 */
export const languageOfText = (text: string): string | null => byWords(text.slice(0, readLetters), ofText)

/** The same for a query, which is short: one function word decides. */
export const languageOfQuery = (query: string): string | null => byWords(query.slice(0, readLetters), ofQuery)

/**
 * The languages that a text may be in: the one of its script and its function words; where they do not decide, those with about
 * as many of its words, and null, which is for English.
 */
export function possibleLanguages(text: string): (string | null)[] {
  const start = text.slice(0, readLetters)
  const decided = byWords(start, ofText)
  if (decided !== null || scriptOf(start).latin < 0.5) return [decided]
  const counts = wordsByLanguage(wordsOf(start))
  const least = Math.max(Number.MIN_VALUE, ofText.next * likeliest(counts).best.words)
  return [null, ...codes.filter((code, i) => code !== 'en' && (counts[i] ?? 0) >= least)]
}

function byWords(text: string, limits: typeof ofText): string | null {
  const script = scriptOf(text)
  if (script.language !== null || script.latin < 0.5) return script.language
  const words = wordsOf(text)
  const { best, second } = likeliest(wordsByLanguage(words))
  const isFound =
    best.words >= Math.max(limits.enough, limits.share * words.length) && second.words <= limits.next * best.words
  return isFound ? best.language : null
}

interface Counted {
  language: string
  /** How many different function words of the language the text has; a word that several languages share counts less. */
  words: number
}
const nothing: Counted = { language: '', words: 0 }

/** By language, as positions in `codes`. */
function wordsByLanguage(words: readonly string[]): Float64Array {
  const found = new Float64Array(codes.length)
  const seen = new Set<readonly number[]>()
  for (const word of words) {
    const languages = languagesOf.get(word)
    // A word counts once.
    if (languages === undefined || seen.has(languages)) continue
    seen.add(languages)
    const each = 1 / Math.sqrt(languages.length)
    for (const code of languages) found[code] = (found[code] ?? 0) + each
  }
  return found
}

/** The two languages with the most words; ties go to the one that comes first in `codes`. */
function likeliest(found: Float64Array): { best: Counted; second: Counted } {
  let [best, second] = [nothing, nothing]
  for (let code = 0; code < found.length; code++) {
    const words = found[code] ?? 0
    if (words > best.words) [best, second] = [{ language: codes[code] ?? '', words }, best]
    else if (words > second.words) second = { language: codes[code] ?? '', words }
  }
  return { best, second }
}

const wordsOf = (text: string): string[] =>
  // Letters of ASCII are matched in a fraction of the time.
  (ascii.test(text)
    ? text.toLowerCase().match(/[a-z]+/g)
    : text
        .normalize('NFC')
        .toLowerCase()
        .match(/[\p{L}\p{M}]+/gu)) ?? []

/** `eld`, a detector by n-grams. */
interface Detector {
  detect(text: string): { language: string; isReliable(): boolean }
}
let detector: Detector | undefined

/**
 * The language of a text; where its function words do not decide, by the n-grams of its letters. Null if it is unsure.
 * The first such text loads the table of n-grams, which takes a tenth of a second: not for the thread that serves.
 */
export function detectLanguage(text: string): string | null {
  const found = languageOfText(text)
  const start = text.slice(0, readForDetector)
  if (found !== null || scriptOf(start).latin < 0.5) return found
  const words = wordsOf(start)
  if (words.length < fewWords) return found
  const counts = wordsByLanguage(words)
  const { best } = likeliest(counts)
  const wordsIn = (language: string) => counts[codes.indexOf(language)] ?? 0
  // Longer prose has a common word: this is a list, a code, or another language.
  if (best.words === 0 && words.length >= manyWords) return null
  // Names look like any language: a text with more words of English than of another is English.
  if (best.language === 'en') return null
  detector ??= loadDetector()
  const guess = detector.detect(start)
  const isLikely = codes.includes(guess.language) && wordsIn(guess.language) >= wordsIn('en')
  return isLikely && guess.isReliable() ? guess.language : null
}

/** An n-gram of the package's table, a property name of JavaScript, with the score of each language: `'en ':{11:80,37:12}`. */
const entry = /(?:'((?:[^'\\]|\\.)*)'|([\w$]+)):\{([\d:,]+)\}/g

/**
 * The package makes an object of each of its 50,000 n-grams: 90 MB while it loads, most of which stays. So its table is read as
 * text, and an object is made of those n-grams only that a text has.
 */
function loadDetector(): Detector {
  const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.resolve('eld/extrasmall')))
  const [head = '', table = ''] = readFileSync(fileOf('../ngrams/extrasmall.js'), 'utf8').split('ngrams:{', 2)
  const scores = new Map<string, string>()
  for (const [, quoted, bare = '', ofLanguages = ''] of table.matchAll(entry)) {
    scores.set(quoted?.replaceAll(/\\(.)/g, '$1') ?? bare, ofLanguages)
  }
  const ngrams = new Proxy<Record<string, object>>(
    {},
    { get: (_, ngram) => numbersIn(scores.get(String(ngram)) ?? '') },
  )
  const languages = Object.fromEntries([...head.matchAll(/\b(\d+):'(\w+)'/g)].map(([, number, code]) => [number, code]))
  const { createEld }: Library = createRequire(import.meta.url)(fileOf('../languageDetector.js'))
  const { instance, loadData } = createEld()
  loadData({ type: 'XS60', languages, ngrams })
  return instance
}

/** What the package makes its detectors of. */
interface Library {
  createEld(): { instance: Detector; loadData(data: object): void }
}

/** `11:80,37:12` */
const numbersIn = (pairs: string): Record<string, number> =>
  Object.fromEntries(Array.from(pairs.matchAll(/(\d+):(\d+)/g), ([, language, score]) => [language, Number(score)]))
