import { createHash } from 'node:crypto'
import type { Scalar } from '../../model/filter.ts'
import { repeatedWords } from '../../model/unit.ts'
import type { IndexedUnit } from '../../ports/indexes/index-filter.ts'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * A token for any value that filters compare. Meilisearch changes strings: it folds their case, trims them, cuts them
 * at 468 bytes and reads numbers in them. Half of a SHA-256; the kind before the value keeps kinds apart.
 */
export const valueToken = (kind: string, value: string): string => digest(`${kind}\0${value}`).slice(0, 32)

/** A scalar of the metadata with its path and its type. */
export const metadataToken = (path: readonly string[], value: Scalar): string =>
  // JSON has no -0, and equality does not distinguish it.
  valueToken('metadata', JSON.stringify([...path, value]))

/** For the primary key, which may contain only letters, digits, - and _. */
export const documentId = (namespaceId: string, unitId: string): string =>
  digest(JSON.stringify([namespaceId, unitId])).slice(0, 40)

/** Sorts as the id does, by UTF-16 code units: Meilisearch would fold the case of the id. */
export const orderOf = (unitId: string): string => Buffer.from(unitId, 'utf16le').swap16().toString('hex')

/**
 * Replace hexadecimal digits. Words of only these letters are in no dictionary, so Meilisearch's tokenisers do not
 * split, join or fold them in any language.
 */
const letters = 'bcdfghjklmnpqrst'
const wordLength = 14

const cacheLimit = 100_000
const cache = new Map<string, string>()

/**
 * A word of an analysed text: 56 bits of a hash, always one word for Meilisearch. Terms and stop words never share a
 * token. The chance that two of a million words in one index share one is about 1 in 100,000.
 */
export function wordToken(word: string, kind: 'term' | 'stop' | 'name' | 'start'): string {
  const source = `${kind}\0${word}`
  const known = cache.get(source)
  if (known !== undefined) return known
  const hex = digest(source).slice(0, wordLength)
  const token = hex.replace(/./g, (digit) => letters[Number.parseInt(digit, 16)] ?? '')
  // Cleared when full: vocabularies are small, so this is rare and cheaper than tracking use.
  if (cache.size >= cacheLimit) cache.clear()
  cache.set(source, token)
  return token
}

/** Hexadecimal digits of a float64. */
const digits = 16

/** The bits of a number, transformed so that they sort as the numbers do. -0 is 0. */
function orderOfNumber(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value === 0 ? 0 : value)
  const bits = view.getBigUint64(0)
  return bits >> 63n === 1n ? ~bits & 0xffff_ffff_ffff_ffffn : bits | (1n << 63n)
}

const sortable = (value: number) => orderOfNumber(value).toString(16).padStart(digits, '0')

/** The number after another one, or before it. */
export function nextNumber(value: number, step: 1 | -1): number {
  const order = orderOfNumber(value) + BigInt(step)
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, order >> 63n === 1n ? order & ((1n << 63n) - 1n) : ~order & 0xffff_ffff_ffff_ffffn)
  return view.getFloat64(0)
}

const tokenOf = (path: readonly string[], prefix: string) => valueToken('number', JSON.stringify([...path, prefix]))

/**
 * The tokens of a number in a Unit's metadata: one for each prefix of its digits, so that a range needs few tokens too
 * (Schindler & Diepenbroek 2008, trie range queries). One attribute per key would let any tenant use up the 65,535
 * attributes that a whole index may have.
 */
export function numberTokens(path: readonly string[], value: number): string[] {
  const all = sortable(value)
  return Array.from({ length: digits }, (_, i) => tokenOf(path, all.slice(0, i + 1)))
}

/** Tokens for a range, both ends inclusive: numbers in the range have exactly one of them, others have none. */
export function rangeTokens(path: readonly string[], min: number, max: number): string[] {
  if (!(min <= max)) return []
  return covering('', sortable(min), sortable(max)).map((prefix) => tokenOf(path, prefix))
}

/** The shortest prefixes that cover everything between two ends of equal length. */
function covering(prefix: string, min: string, max: string): string[] {
  if (/^0*$/.test(min) && /^f*$/.test(max)) return [prefix]
  const [first, last] = [Number.parseInt(min[0] ?? '0', 16), Number.parseInt(max[0] ?? 'f', 16)]
  const found: string[] = []
  for (let digit = first; digit <= last; digit++) {
    const from = digit === first ? min.slice(1) : '0'.repeat(min.length - 1)
    const to = digit === last ? max.slice(1) : 'f'.repeat(max.length - 1)
    found.push(...covering(prefix + digit.toString(16), from, to))
  }
  return found
}

/** Meilisearch reads 65,535 positions of an attribute: longer texts are split over several. */
const perField = 60_000
const fieldCount = 12

/** Attributes that hold a text's terms. */
export const termFields: readonly string[] = Array.from({ length: fieldCount }, (_, i) => `terms_${i + 1}`)
/** The attribute that holds its stop words, names with symbols and beginnings of words, each once. */
export const stopField = 'stops'

/** Separates paragraphs, so that a pair of terms does not match across them: no query contains it. */
const paragraph = 'z'.repeat(14)
const blankLine = /\n[^\S\n]*\n/

/** The maximum number of a text's distinct terms stored for comparisons; most texts have fewer. */
const bagSize = 200

interface TextFields {
  /** A token for each term in order, without stop words. */
  terms: Record<string, string>
  stops: string
  /** The most frequent terms with their counts: `token 3 token 2`. */
  bag: string
  /** Number of terms. */
  length: number
}

/**
 * A title and text as Meilisearch gets them: words of the text that repeat the title are there once. The end is left
 * out if a text is denser than any real writing (two words for every three bytes of a megabyte).
 */
export function textFields({ title, text }: Titled, analysis: TextAnalysis): TextFields {
  const tokens: string[] = []
  const counts = new Map<string, number>()
  const stops = new Set<string>()
  const starts = new Set<string>()
  let parted = false
  for (const word of rankedWords(title, text ?? '', analysis)) {
    parted ||= word.opensParagraph
    if (word.stop) {
      stops.add(wordToken(word.word, 'stop'))
      continue
    }
    for (const start of startsOf(word.word)) starts.add(start)
    if (parted && counts.size > 0) tokens.push(paragraph)
    parted = false
    const token = wordToken(word.term, 'term')
    tokens.push(token)
    counts.set(token, (counts.get(token) ?? 0) + 1)
  }
  const terms = termFields
    .map((field, i) => [field, tokens.slice(i * perField, (i + 1) * perField).join(' ')])
    .filter(([, part]) => part !== '')
  const names = [title, text].flatMap((part) => (part === null ? [] : analysis.names(part)))
  for (const { word } of names) {
    stops.add(wordToken(word, 'name'))
    for (const start of startsOf(word)) starts.add(start)
  }
  for (const start of starts) if (stops.size < perField) stops.add(wordToken(start, 'start'))
  const length = counts.values().reduce((total, count) => total + count, 0)
  return { terms: Object.fromEntries(terms), stops: [...stops].join(' '), bag: bagOf(counts), length }
}

/** Of a longer beginning the first letters are looked for. */
const longestStart = 8

/** The beginnings of a word, itself among them. */
function startsOf(word: string): string[] {
  const letters = [...word].slice(0, longestStart)
  return letters.map((_, i) => letters.slice(0, i + 1).join(''))
}

/** The token of what words may begin with. */
export const startToken = (beginning: string): string => wordToken(startsOf(beginning).at(-1) ?? '', 'start')

type Titled = Pick<IndexedUnit, 'title' | 'text'>
type RankedWord = Word & { opensParagraph: boolean }

function rankedWords(title: string | null, text: string, analysis: TextAnalysis): RankedWord[] {
  const words = paragraphed(text, analysis.words(text))
  if (title === null) return words
  const spelled = (said: readonly Word[]) => said.map(({ word }) => word)
  const repeated = repeatedWords(title, spelled(words), (heading) => spelled(analysis.words(heading)))
  const body = words.slice(repeated).map((word, i) => (i === 0 ? { ...word, opensParagraph: true } : word))
  return [...paragraphed(title, analysis.words(title)), ...body]
}

/** Each word, and whether a blank line stands before it. */
const paragraphed = (text: string, words: readonly Word[]): RankedWord[] =>
  words.map((word, i) => ({
    ...word,
    opensParagraph: blankLine.test(text.slice(words[i - 1]?.end ?? 0, word.start)),
  }))

function bagOf(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, bagSize)
    .flat()
    .join(' ')
}

/** Reads a `bag`: token -> mentions. */
export function readBag(bag: string): ReadonlyMap<string, number> {
  const parts = bag === '' ? [] : bag.split(' ')
  return new Map(parts.flatMap((token, i) => (i % 2 === 0 ? [[token, Number(parts[i + 1] ?? 1)] as const] : [])))
}
