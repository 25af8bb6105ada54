/** A text of ASCII alone, which is processed in a fraction of the time. */
export const ascii = /^[^\u{80}-\u{10ffff}]*$/u

/**
 * A text folded for comparison: NFKD, without combining marks and what is not seen, lower case, one form of letters that count as equal. `spans` gives, for each UTF-16 unit of
 * `text`, its position in the original (`starts` inclusive, `ends` exclusive); null when offsets are the same.
 */
interface Folded {
  text: string
  spans: { starts: number[]; ends: number[] } | null
}

/**
 * A piece that can be folded separately: an ASCII character; Hangul jamo, which compose with each other; any other
 * character with its marks (the half-width voicing marks of Katakana are letters by category). The number of marks is
 * limited, because putting them in canonical order takes quadratic time: a megabyte of them would block the process
 * for minutes.
 */
const piece = /[^\u{80}-\u{10ffff}](?!\p{M})|[\u1100-\u11ff]+|[\s\S][\p{M}\uff9e\uff9f]{0,16}/uy

/** UTF-16 units that may be the middle of a piece: marks, and halves of a character. */
const mayContinue = /[\p{M}\uff9e\uff9f\p{Cs}]/u
const firstMark = 0x300
const [no, yes] = [1, 2]
/** Whether a unit may be the middle of a piece; 0 if it is not known yet. */
const continues = new Uint8Array(2 ** 16)

/**
 * Accents, vowel points, soft hyphens, the Arabic lengthening sign, and characters without a width. Marks that are part of the spelling (vowels of Indic scripts and Thai, voicing
 * of kana) stay: without them different words would become equal.
 */
const stripped =
  /[[[\p{M}&&[\p{Script=Inherited}\p{Script=Hebrew}\p{Script=Arabic}]]--[\u3099\u309a]]\u{ad}\u{640}\u{180e}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{2069}\u{feff}]/gv

/** Letters that have no other form by Unicode, and are equal to these for people. */
const equals: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', þ: 'th', ı: 'i', ς: 'σ', ґ: 'г' },
  // Persian has its own signs for two Arabic letters.
  ...{ ی: 'ي', ک: 'ك' },
}
const equal = new RegExp(`[${Object.keys(equals).join('')}]`, 'gu')

/** Written after a name, not as a part of it. */
const tradeMarks = /[™℠]/gu

/** Digits of other scripts: each has ten in a row, of which the first is 0. */
const otherDigits = /[\p{Nd}--[0-9]]/gv

function digitOf(digit: string): string {
  const point = digit.codePointAt(0) ?? 0
  let zero = point
  while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--
  return `${point - zero}`
}

const writtenOut: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' }

/** A word with letters that are also written as two (`Schlüter`, `Schlueter`), folded as it is then; null for one without. */
export function foldedOut(word: string): string | null {
  if (ascii.test(word)) return null
  const lower = word.normalize('NFC').toLowerCase()
  const out = lower.replace(/[äöüåø]/g, (letter) => writtenOut[letter] ?? letter)
  return out === lower ? null : fold(out).text
}

/** What a UTF-16 unit becomes that is a piece. */
const foldedUnits = new Array<string | undefined>(2 ** 16)
const cacheLimit = 20_000
const cache = new Map<string, string>()

export function fold(text: string): Folded {
  if (ascii.test(text)) return { text: text.toLowerCase(), spans: null }
  let folded = ''
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  while (at < text.length) {
    const length = isAlone(text, at) ? 1 : pieceLength(text, at)
    const part = length === 1 ? foldUnit(text.charCodeAt(at)) : foldCluster(text.slice(at, at + length))
    folded += part
    for (let i = 0; i < part.length; i++) {
      starts.push(at)
      ends.push(at + length)
    }
    at += length
  }
  return { text: folded, spans: { starts, ends } }
}

/** Whether a UTF-16 unit is a piece for certain. Most are, and this takes a fraction of the time of matching. */
function isAlone(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  const opensMore = (unit >= 0x1100 && unit <= 0x11ff) || (unit >= 0xd800 && unit <= 0xdbff)
  return !opensMore && (at + 1 === text.length || !isContinuing(text.charCodeAt(at + 1)))
}

function isContinuing(unit: number): boolean {
  if (unit < firstMark) return false
  const known = continues[unit]
  if (known !== 0) return known === yes
  const found = mayContinue.test(String.fromCharCode(unit))
  continues[unit] = found ? yes : no
  return found
}

function pieceLength(text: string, at: number): number {
  piece.lastIndex = at
  return piece.exec(text)?.[0].length ?? 1
}

function foldUnit(unit: number): string {
  const known = foldedUnits[unit]
  if (known !== undefined) return known
  const folded = foldCluster(String.fromCharCode(unit))
  foldedUnits[unit] = folded
  return folded
}

function foldCluster(cluster: string): string {
  const known = cache.get(cluster)
  if (known !== undefined) return known
  // Composed again, so that Hangul stays syllables and kana one character each, as dictionaries spell them.
  const folded = cluster
    .replace(tradeMarks, '')
    .normalize('NFKD')
    .replace(stripped, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(equal, (letter) => equals[letter] ?? letter)
    .replace(otherDigits, digitOf)
  if (cluster.length <= 4) {
    if (cache.size >= cacheLimit) cache.clear()
    cache.set(cluster, folded)
  }
  return folded
}

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
  for (const { 0: match, index } of folded.text.matchAll(words)) {
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
  if (ascii.test(word)) return charGramsOfAscii(word)
  const letters = [...word]
  if (letters.length > longestWord) return []
  if (isSingleSign(word)) return [word]
  if (isUnspaced(word)) return windows(letters, 2)
  return letters.length <= 2 ? [`#_${word}_`] : windows(['_', ...letters, '_'], length)
}

/** The same where each character is one UTF-16 unit: most words are such, and slices of a text take far less than lists of letters. */
function charGramsOfAscii(word: string): string[] {
  if (word.length > longestWord) return []
  if (word.length <= 2) return [`#_${word}_`]
  const padded = `_${word}_`
  const grams: string[] = []
  for (let at = 0; at + length <= padded.length; at++) grams.push(padded.slice(at, at + length))
  return grams
}

function windows(letters: readonly string[], size: number): string[] {
  return letters.slice(size - 1).map((_, i) => letters.slice(i, i + size).join(''))
}
