/** A text of ASCII alone, which is processed in a fraction of the time. */
export const ascii = /^[^\u{80}-\u{10ffff}]*$/u

/**
 * A text folded for comparison: NFKD, without combining marks and what is not seen, lower case, one form of letters that count as equal. `spans` gives, for each UTF-16 unit of
 * `text`, its position in the original (`starts` inclusive, `ends` exclusive); null when offsets are the same.
 */
export interface Folded {
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
