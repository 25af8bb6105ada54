import { readFileSync } from 'node:fs'
import englishWords from 'word-list'

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
