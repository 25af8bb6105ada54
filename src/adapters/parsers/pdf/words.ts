import { readFileSync } from 'node:fs'
import englishWords from 'word-list'

/** Pages of fewer characters are taken as they are. */
const minCharacters = 40
/** The share of a text beyond which what stands for nothing makes all of it doubtful. */
const maxStrange = 0.3
/** Of letters, in words of Latin script: languages have a third or more. */
const minVowels = 0.2
const minLetters = 200

const scripts = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Thai',
  'Ethiopic',
]
const ofScript = scripts.map((name) => new RegExp(`\\p{Script=${name}}`, 'u'))

/**
 * Whether the text of a page says something. A font may name letters that are not those it draws: what it then says is
 * signs and code points of no language, words of several scripts, or words without vowels.
 */
export function isLegible(texts: readonly string[]): boolean {
  // Leaders, rules and blanks say nothing either way.
  const text = texts.join(' ').replace(/[\s._\-–—…·•|=]+/gu, ' ')
  const count = (pattern: RegExp, within = text) => within.match(pattern)?.length ?? 0
  const characters = count(/\S/gu)
  if (characters < minCharacters) return true
  if (count(/[\p{Co}\p{Cn}\p{Cc}\ufffd]/gu) > characters * maxStrange) return false
  if (count(/[\p{L}\p{M}\p{N}\p{Sc}\p{Sm}]/gu) < characters * maxStrange) return false
  const words = text.match(/[\p{L}\p{M}]{3,}/gu) ?? []
  const lengthOf = (some: readonly string[]) => some.reduce((sum, word) => sum + word.length, 0)
  const mixed = words.filter((word) => ofScript.filter((script) => script.test(word)).length > 1)
  if (lengthOf(mixed) > lengthOf(words) * maxStrange) return false
  const latin = (text.match(/\p{Script=Latin}{2,}/gu) ?? []).join('').normalize('NFD')
  return latin.length < minLetters || count(/[aeiouæøœı]/giu, latin) > count(/\p{L}/gu, latin) * minVowels
}

/** How the end of a line and the start of the next one are one word: without the hyphen, or with it. Null: they are two. */
export type JoinWords = (line: string, next: string) => 'joined' | 'hyphenated' | null

const word = /[\p{L}\p{M}\p{N}]+(?:[-\u2010][\p{L}\p{M}\p{N}]+)*/gu
const divided = /(?:^|[^\p{L}\p{M}\p{N}])([\p{L}\p{M}\p{N}]+(?:[-\u2010][\p{L}\p{M}\p{N}]+)*)([-\u2010\u00ad])$/u
const continued = /^[\p{L}\p{M}\p{N}]+/u
/** `Vor-` before `und Nachteile`: the hyphen stands for the rest of the first word. */
const conjunction = /^(and|or|und|oder|bzw|bis|et|ou|y|e|o|en|of|och|og|eller|i|a)$/

/**
 * Tells by the words of the document, then by a list of English ones, whether a hyphen at the end of a line belongs to its
 * word. `lines` are those of the document. In other languages hyphens mostly divide words, and go.
 */
export function joinerOf(lines: readonly string[]): JoinWords {
  const own = wordsOf(lines)
  return (line, next) => {
    const [, before = '', hyphen = ''] = divided.exec(line) ?? []
    const after = continued.exec(next)?.[0] ?? ''
    if (before === '' || after === '' || conjunction.test(after)) return null
    if (hyphen === '\u00ad') return 'joined'
    const [first, second] = [lower(before), lower(after)]
    if (own.has(`${first}-${second}`)) return 'hyphenated'
    if (own.has(first + second)) return 'joined'
    // A name or a number continues with its hyphen; what is all in capitals is divided like anything else.
    const isCapital = /^[^\p{Ll}]+$/u.test(before + after) && /\p{L}{2}$/u.test(before)
    if (/^\P{Ll}/u.test(after) && !isCapital) return 'hyphenated'
    if (first.includes('-') || !/\p{L}{2}$/u.test(first)) return 'hyphenated'
    const known = english()
    return !known.has(first + second) && known.has(first) && known.has(second) ? 'hyphenated' : 'joined'
  }
}

const lower = (text: string) => text.normalize('NFKC').toLowerCase().replaceAll('\u2010', '-')

/** The words of all lines but those that may be parts. */
function wordsOf(lines: readonly string[]): Set<string> {
  const words = new Set<string>()
  let isDivided = false
  for (const line of lines) {
    const found = line.match(word) ?? []
    const endsDivided = /[-\u2010\u00ad]$/.test(line)
    for (const each of found.slice(isDivided ? 1 : 0, endsDivided ? -1 : undefined)) words.add(lower(each))
    isDivided = endsDivided
  }
  return words
}

let list: Set<string> | undefined
function english(): Set<string> {
  list ??= new Set(readFileSync(englishWords, 'utf8').split('\n'))
  return list
}
