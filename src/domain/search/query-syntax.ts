import { InvalidInputError } from '../../errors.ts'
import { primaryLanguage } from '../../model/language.ts'
import type { SearchQuery, UnderstoodQuery } from '../../model/search.ts'
import type { Unit } from '../../model/unit.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'

/** A query as it is understood. */
export interface ReadQuery extends UnderstoodQuery {
  /** What is searched for: the query without what is excluded, and without quotes. */
  text: string
}

const quotes = '"“”„＂'
const quote = new RegExp(`[${quotes}]`, 'u')
/** A quote after a digit is a measure: 5" pipe. */
const opens = new RegExp(`(?<!\\p{N})[${quotes}]`, 'u')
const excludes = new RegExp(`(?<!\\S)-(?=[\\p{L}\\p{N}${quotes}])`, 'u')
/** Up to the next blank or quote, without the punctuation of a sentence. */
const word = new RegExp(`^[^\\s${quotes}]*?(?=[.,;:!?…)\\]}]*(?:[\\s${quotes}]|$))`, 'u')
const lastWord = /[^\s"“”„＂]+$/u

/** Each is compared with each text that is found. */
const maxParts = 64

/**
 * `web`: phrases in quotes, `-word` and `-"a phrase"`. `plain`: every character is text; phrases in quotes are named all the same,
 * since texts that have them rank first. A quote that is not closed is text. Errors: 400 for too many phrases.
 */
export function readQuery({ q, querySyntax = 'plain', prefix = 'none' }: SearchQuery): ReadQuery {
  const isWeb = querySyntax === 'web'
  const [phrases, excluded]: [string[], string[]] = [[], []]
  const special = isWeb ? new RegExp(`${excludes.source}|${opens.source}`, 'gu') : new RegExp(opens, 'gu')
  let text = ''
  let from = 0
  /** Where the last phrase or exclusion ends: the last word stands behind it. */
  let closed = 0
  for (let found = special.exec(q); found !== null; found = special.exec(q)) {
    const isExclusion = found[0] === '-'
    const at = found.index + (isExclusion ? 1 : 0)
    const isQuoted = quote.test(q[at] ?? '')
    const length = isQuoted ? q.slice(at + 1).search(quote) : (word.exec(q.slice(at))?.[0].length ?? 0)
    const start = isQuoted ? at + 1 : at
    const said = q.slice(start, start + Math.max(0, length)).trim()
    if (said === '') continue
    const end = start + length + (isQuoted ? 1 : 0)
    const parts = isExclusion ? excluded : phrases
    if (!parts.includes(said)) parts.push(said)
    text += `${q.slice(from, found.index)} ${isExclusion ? '' : said} `
    from = end
    closed = end
    special.lastIndex = end
  }
  if (isWeb && phrases.length + excluded.length > maxParts) {
    const message = `must have at most ${maxParts} phrases and exclusions; with query_syntax plain it is text`
    throw new InvalidInputError(['q'], message)
  }
  return {
    text: isWeb && closed > 0 ? (text + q.slice(from)).trim() : q,
    phrases: phrases.slice(0, maxParts),
    excluded,
    prefix: prefix === 'last' ? (lastWord.exec(q.slice(closed))?.[0] ?? null) : null,
    syntax: querySyntax,
  }
}

/** What texts must and must not have, whatever leg finds them. */
export interface TextRules {
  required: readonly string[]
  excluded: readonly string[]
  /** Texts with more of these rank before others. */
  preferred: readonly string[]
  /** The query, where it is a name such as `C#` or `check_output`: texts in which it stands as it is typed come first. */
  name: string | null
  /** Whether there is nothing else to search for. */
  alone: boolean
  /** Whether the last word also stands for words that begin with it. */
  isOpen: boolean
}

export function rulesOf({ text, phrases, excluded, prefix, syntax }: ReadQuery, analysis: TextAnalysis): TextRules {
  // People set off single words by quotes, too, which says nothing of what they look for.
  const several = phrases.filter((phrase) => analysis.words(phrase).length > 1)
  const [required, preferred] = syntax === 'web' ? [phrases, []] : [[], several]
  const hasRules = required.length + excluded.length > 0
  const alone = hasRules && analysis.words(text).length === 0
  const name = phrases.length === 0 && isName(text) ? text.trim() : null
  return { required, excluded, preferred, name, alone, isOpen: prefix !== null }
}

/** Of a name. What has more is a sentence. */
const maxWords = 5
/** Other than the punctuation that ends a sentence, or a part of it, and apostrophes of endings. */
const sign = /[^\p{L}\p{N}\p{M}.,;:?…'’]|[.,;:?…](?=.*[\p{L}\p{N}])|['’](?=\p{Lu})/u
/** `utf8`, `getUserName`, `HTTPServer`. */
const mixed = /\p{L}\p{M}*\p{N}|\p{N}\p{L}|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u

/** Whether it is more than plain words: a sign, digits or capitals within a word, or a sign before or after it. */
function isName(text: string): boolean {
  const words = text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
  return words.length <= maxWords && words.some((word) => sign.test(word) || mixed.test(word))
}

type Read = Pick<Unit, 'title' | 'text' | 'language'>

/** Whether a Unit's title and text, as the catalog has them, keep to the rules. */
export function keepsTo({ required, excluded }: TextRules, analysis: TextAnalysis): (unit: Read) => boolean {
  if (required.length + excluded.length === 0) return () => true
  const places = analysis.phrases([...required, ...excluded])
  const hasForm = analysis.forms(excluded.filter((word) => isWord.test(word)))
  return (unit) => {
    const found = partsOf(unit).map(places)
    const has = (phrase: number) => found.some((places) => (places[phrase]?.length ?? 0) > 0)
    return (
      required.every((_, i) => has(i)) &&
      !excluded.some((_, i) => has(required.length + i)) &&
      !partsOf(unit).some((part) => hasForm(part, primaryLanguage(unit.language)))
    )
  }
}

/** Words with endings; a Hangul syllable is several letters. Shorter ones, and those with digits and symbols, have one form. */
const isWord = /^(?:[\p{L}\p{M}]{3,}|\p{Script=Hangul}{2,})$/u

/** How many of the preferred phrases a Unit has. */
export function preferenceFor({ preferred }: TextRules, analysis: TextAnalysis): (unit: Read) => number {
  const places = analysis.phrases(preferred)
  return (unit) => {
    const found = partsOf(unit).map(places)
    return preferred.filter((_, i) => found.some((places) => (places[i]?.length ?? 0) > 0)).length
  }
}

/** What may stand between a name and the white space around it. */
const [opening, closing] = [/[([{<"'“‘«„`¿¡]/u, /[)\]}>"'”’»“`.,:;!?…]/u]

/** How exactly the name of a query stands in a Unit; 0: not. */
export const asTyped = 3
const [inAnotherCase, withinLonger] = [2, 1]

export function namedBy(name: string, analysis: TextAnalysis): (unit: Read) => number {
  const places = analysis.phrases([name])
  const typed = name.normalize()
  return (unit) => {
    let exactness = 0
    for (const text of partsOf(unit)) {
      for (const { start, end } of places(text)[0] ?? []) {
        const isAlone = isOutside(text, start - 1, -1, opening) && isOutside(text, end, 1, closing)
        const isTyped = text.slice(start, end).normalize() === typed
        exactness = Math.max(exactness, !isAlone ? withinLonger : isTyped ? asTyped : inAnotherCase)
      }
    }
    return exactness
  }
}

/** Whether only such punctuation stands between a place and the next white space, or the end. */
function isOutside(text: string, from: number, step: number, punctuation: RegExp): boolean {
  let at = from
  while (punctuation.test(text[at] ?? '')) at += step
  return /^\s?$/u.test(text[at] ?? '')
}

/** No phrase goes from a title into its text. */
const partsOf = ({ title, text }: Read): string[] => [title, text].filter((part) => part !== null)
