import { ascii, type Folded, fold } from './fold.ts'

/** A folded word, and its position in the original text (UTF-16 offsets, `end` exclusive). */
export interface Token {
  word: string
  start: number
  end: number
  /** A blank line precedes it. */
  opensParagraph: boolean
  /** `whole`: a name with its symbols, beside its words. `part`: a word within a word, by its capitals. */
  kind: 'word' | 'whole' | 'part'
}

/** A possessive `'s` is matched only to be skipped, a blank line to separate paragraphs. An emoji is a word. */
const words =
  /(?<=[\p{L}\p{N}\p{M}])['’]s(?![\p{L}\p{N}\p{M}])|[\p{L}\p{N}\p{M}]+|\p{RI}{2}|[\p{Extended_Pictographic}--[©®]]|\n[^\S\n]*\n/gv

/** Scripts that do not separate words by spaces. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

export const isUnspaced = (word: string): boolean => unspaced.test(word)

/** A word of one character that may be part of longer ones: these are indexed by pairs of characters alone. */
export const isSingleSign = (word: string): boolean => isUnspaced(word) && [...word].length === 1

// The script selects ICU's dictionary; the locale only has to be the same at ingest and query.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

function tokenAt({ spans }: Folded, word: string, index: number, kind: Token['kind'], opensParagraph: boolean): Token {
  const last = index + word.length - 1
  return { word, start: spans?.starts[index] ?? index, end: spans?.ends[last] ?? last + 1, opensParagraph, kind }
}

/** The words of a text in order; the same at ingest, query and highlighting. */
export const analyse = (text: string): Token[] => wordsOf(fold(text))

function wordsOf(folded: Folded): Token[] {
  const tokens: Token[] = []
  let opensParagraph = false
  const add = (word: string, index: number) => {
    tokens.push(tokenAt(folded, word, index, 'word', opensParagraph))
    opensParagraph = false
  }
  words.lastIndex = 0
  for (let found = words.exec(folded.text); found !== null; found = words.exec(folded.text)) {
    const { 0: match, index } = found
    if (match.startsWith('\n')) opensParagraph = true
    else if (match.startsWith("'") || match.startsWith('’')) continue
    else if (!isUnspaced(match)) add(match, index)
    else for (const part of segmenter.segment(match)) add(part.segment, index + part.index)
  }
  return tokens
}

/**
 * A word with symbols at its beginning, within it or at its end, such as `C++`, `.NET`, `AT&T`, `check_output`, `1.2.3`, `a@b.c`, `/etc/hosts`, `€5`.
 * Plain words match as well: that is faster than looking ahead for a symbol. Not in scripts without spaces.
 */
const letter =
  '[[\\p{L}\\p{N}\\p{M}]--[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]]'
const named = (() => {
  const name = `${letter}+(?:(?:\\+{1,2}|#|\\p{Sc})(?!${letter}))?`
  const join = '(?::\\/\\/|[._\\/\\\\@&:+#]{1,2})'
  return new RegExp(
    `(?:(?<![\\p{L}\\p{N}\\p{M}._\\/])(?:[.\\/@#\\p{Sc}]|_{1,2}))?${name}(?:${join}${name})*_{0,2}`,
    'gv',
  )
})()
const symbol = /[._/\\@&:+#\p{Sc}]/u
/** `e.g` and initials. */
const abbreviation = /^(?:\p{L}\.)+\p{L}$/u
/** What stands between names: `bob@acme.org` is found as `acme.org`, and `subprocess.check_output` as `check_output`, too. */
const betweenNames = /[/\\@:]+/
const symbolInName = /[_&+#]/

const ofWord = '[\\p{L}\\p{N}\\p{M}]'
/** From the hyphen of two words on, which two numbers are not. The sign stands first, since most words have none. */
const hyphen = new RegExp(
  `[\\-‐](?<=(?<!${ofWord}[\\-‐.]?)(${letter}+)[\\-‐])(?<!\\p{N}.(?=\\p{N}))${letter}+(?![\\-‐]?${ofWord})`,
  'gv',
)
/** The same of a number by thousands. With points it is a name as it is. */
const thousands = new RegExp(
  `[,'’](?<=(?<!${ofWord}[.,]?)(\\p{N}{1,3})[,'’])\\p{N}{3}(?:[,'’]\\p{N}{3})*(?![.,]?${ofWord})`,
  'gv',
)
const joining =
  /^(?:[\p{L}\p{N}\p{M}]+[\-‐][\p{L}\p{N}\p{M}]+|\p{N}{1,3}(?:[,'’]\p{N}{3})+|\p{N}{1,3}(?:\.\p{N}{3}){2,}|(?:\p{L}\.)+\p{L})$/v

/** What a name is without its signs, for one that is also written so: `Wi-Fi`, `U.S.A`, `1,000`. Null for others. */
export const joinedOf = (name: string): string | null => (joining.test(name) ? name.replace(/[-‐.,'’]/g, '') : null)

/** A word with capitals within it, as names in code: `getUserName`, `HTTPServer`. */
const capitals =
  /(?<![\p{L}\p{N}\p{M}])(?=[\p{L}\p{N}\p{M}]*(?:[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{2}\p{Ll}{2}))[\p{L}\p{N}\p{M}]+/gu
const betweenParts = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u

/** The same with names as a whole, and the words within words: for what is searched for and searched in. */
export function analyseNames(text: string): Token[] {
  const folded = fold(text)
  const tokens = wordsOf(folded)
  const names = [...wholesIn(folded), ...partsIn(text)]
  if (names.length === 0) return tokens
  const all = [...tokens, ...names].sort((a, b) => a.start - b.start || order[a.kind] - order[b.kind] || b.end - a.end)
  // The paragraph begins with what stands first.
  for (const [i, token] of all.entries()) {
    const before = all[i - 1]
    if (token.opensParagraph && before?.kind === 'whole' && before.end > token.start) {
      before.opensParagraph = true
      token.opensParagraph = false
    }
  }
  return all
}

const order = { whole: 0, word: 1, part: 2 }

function wholesIn(folded: Folded): Token[] {
  const { text } = folded
  const found: Token[] = []
  const add = (word: string, index: number) => {
    if (word.length <= longestWord) found.push(tokenAt(folded, word, index, 'whole', false))
  }
  for (const { 0: whole, index } of text.matchAll(named)) {
    if (!symbol.test(whole)) continue
    add(whole, index)
    let at = index
    for (const name of whole.split(betweenNames)) {
      at = text.indexOf(name, at)
      if (name !== whole && symbol.test(name) && !abbreviation.test(name)) add(name, at)
      let within = at
      for (const part of name.split('.')) {
        within = text.indexOf(part, within)
        if (part !== name && symbolInName.test(part)) add(part, within)
        within += part.length
      }
      at += name.length
    }
  }
  for (const pattern of [hyphen, thousands])
    for (const { 0: end, 1: start = '', index } of text.matchAll(pattern)) add(start + end, index - start.length)
  return found
}

function partsIn(text: string): Token[] {
  const found: Token[] = []
  for (const { 0: word, index } of text.matchAll(capitals)) {
    if (word.length > longestWord) continue
    let start = index
    const parts = word.split(betweenParts).flatMap((part): Token[] => {
      const from = start
      start += part.length
      if (part.length < 2) return []
      return [{ word: fold(part).text, start: from, end: start, opensParagraph: false, kind: 'part' }]
    })
    if (parts.length > 1) found.push(...parts)
  }
  return found
}

const length = 4
/** Longer runs are identifiers, hashes and the like: people do not misspell them, and they would fill the index. */
export const longestWord = 64

/**
 * The overlapping 4-grams of `_word_` (McNamee & Mayfield 2004), which survive typos and recognition errors. A word of
 * two letters or fewer is one gram, `#_word_`. In scripts without spaces a character carries more meaning and word
 * boundaries are guesses: there the grams are the pairs of adjacent characters.
 */
export function charGrams(word: string): string[] {
  // Where each character is one UTF-16 unit, as in most words, slices of a text take far less than lists of letters.
  const isAscii = ascii.test(word)
  const letters = isAscii ? word : [...word]
  if (letters.length > longestWord) return []
  if (!isAscii && isUnspaced(word)) return letters.length === 1 ? [word] : windows(letters, 2)
  if (letters.length <= 2) return [`#_${word}_`]
  return windows(isAscii ? `_${word}_` : ['_', ...letters, '_'], length)
}

function windows(letters: string | readonly string[], size: number): string[] {
  const found: string[] = []
  for (let at = 0; at + size <= letters.length; at++) {
    const some = letters.slice(at, at + size)
    found.push(typeof some === 'string' ? some : some.join(''))
  }
  return found
}
