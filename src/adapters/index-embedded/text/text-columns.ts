import { passageWords } from '../analysis/best-passage.ts'
import { languageOf, lexemeOf } from '../analysis/lexemes.ts'
import { Dictionary } from '../memory/dictionary.ts'
import { Lists } from '../memory/lists.ts'
import { type Column, type Store, startOf } from '../memory/store.ts'

/** A posting is a row and how often it contains the word, in one number. */
const countBits = 8
const maxCounted = 2 ** countBits - 1
const maxRows = 2 ** (32 - countBits)
export const postingRow = (posting: number): number => posting >>> countBits
export const postingCount = (posting: number): number => posting & maxCounted

/** Marks the start of a paragraph in `tokens`; words are there as number + 1. */
export const paragraph = 0

/**
 * The texts of a shard's rows. Only words have postings; stems and character n-grams list the words that contain them.
 * So all three legs share one set of postings, and the memory for n-grams grows with the vocabulary instead of the
 * text.
 */
export class TextColumns {
  /** By the keys of `analysis/lexemes.ts`. */
  readonly words: Dictionary
  /** The languages of texts, apart from English, as far as their words have rules of their own. */
  readonly languages: Dictionary
  /** By word: its stem's number + 1; 0 for a stop word. */
  readonly stemOf: Column<'u32'>
  /** By word: how many character n-grams it has. */
  readonly gramsOf: Column<'u32'>
  readonly stems: Dictionary
  readonly grams: Dictionary
  /** By stem and by n-gram: words, as number + 1; an n-gram lists a word as often as the word contains it. */
  readonly stemWords: Lists
  readonly gramWords: Lists
  /** By word. A row that contains it more than 255 times has several postings. */
  readonly postings: Lists
  /** All rows' words in order; `tokenEnds` gives the end of each row. */
  readonly tokens: Column<'u32'>
  readonly tokenEnds: Column<'u32'>
  /** By row: how many terms each field has there. */
  readonly lengths: Readonly<Record<FieldName, Column<'u32'>>>

  constructor(store: Store) {
    this.words = new Dictionary(store, 'words')
    this.languages = new Dictionary(store, 'languages')
    this.stemOf = store.column('words.stem', 'u32')
    this.gramsOf = store.column('words.grams', 'u32')
    this.stems = new Dictionary(store, 'stems')
    this.grams = new Dictionary(store, 'grams')
    this.stemWords = new Lists(store, 'stems.words')
    this.gramWords = new Lists(store, 'grams.words')
    this.postings = new Lists(store, 'postings')
    this.tokens = store.column('tokens', 'u32')
    this.tokenEnds = store.column('tokens.ends', 'u32')
    this.lengths = perField((field) => store.column(`lengths.${field}`, 'u32'))
  }

  /** The number of a word by its key; data that depends only on the key is computed when it is new, before anything changes. */
  intern(key: string): number {
    const known = this.words.find(key)
    if (known >= 0) return known
    const { stem, others, charGrams } = lexemeOf(key)
    const number = this.words.intern(key)
    const language = languageOf(key)
    if (language !== null) this.languages.intern(language)
    for (const gram of charGrams) this.gramWords.append(this.grams.intern(gram), number + 1)
    const stemNumber = stem === null ? -1 : this.stems.intern(stem)
    if (stem !== null) this.stemWords.append(stemNumber, number + 1)
    for (const other of others) this.stemWords.append(this.stems.intern(other), number + 1)
    this.gramsOf.push(charGrams.length)
    this.stemOf.push(stemNumber + 1)
    return number
  }

  /** Adds the next row: its words as number + 1, with `paragraph` where one begins. */
  add(tokens: readonly number[]): void {
    const row = this.tokenEnds.length
    if (row >= maxRows) throw new RangeError(`a namespace holds at most ${maxRows} rows in the embedded index`)
    const start = this.tokens.extend(tokens.length)
    this.tokens.array.set(tokens, start)
    this.tokenEnds.push(start + tokens.length)
    const lengths = noLengths()
    let followsWord = false
    for (const token of tokens) followsWord = this.addToken(lengths, token, followsWord)
    for (const field of fieldNames) this.lengths[field].push(lengths[field])
    const counts = new Map<number, number>()
    for (const token of tokens) if (token !== paragraph) counts.set(token - 1, (counts.get(token - 1) ?? 0) + 1)
    for (const [word, count] of counts) {
      for (let left = count; left > 0; left -= maxCounted) {
        this.postings.append(word, row * (maxCounted + 1) + Math.min(left, maxCounted))
      }
    }
  }

  /** A row's words, as passed to `add`. */
  row(row: number): Uint32Array {
    const start = startOf(this.tokenEnds.array, row)
    return this.tokens.array.subarray(start, this.tokenEnds.array[row])
  }

  /** Counts a token in the fields. Returns whether the next one follows a word in its paragraph. */
  addToken(lengths: Lengths, token: number, followsWord: boolean): boolean {
    if (token === paragraph) return false
    if (this.stemOf.array[token - 1] === 0) {
      lengths.stop++
      return followsWord
    }
    lengths.word++
    lengths.char += this.gramsOf.array[token - 1] ?? 0
    if (followsWord) lengths.bigram++
    return true
  }
}

const fieldNames = ['word', 'bigram', 'char', 'stop'] as const
export type FieldName = (typeof fieldNames)[number]
type Lengths = Record<FieldName, number>
const noLengths = (): Lengths => ({ word: 0, bigram: 0, char: 0, stop: 0 })
const perField = <T>(of: (field: FieldName) => T): Record<FieldName, T> => {
  const [word, bigram, char, stop] = [of('word'), of('bigram'), of('char'), of('stop')]
  return { word, bigram, char, stop }
}

/** What BM25 needs to know about a field, counted only over visible rows. */
export interface Field {
  name: FieldName
  /** By row: how many terms the field has there; of a long row, in a passage of it. */
  lengths: Uint32Array
  /** Visible rows with a term in the field, and how many they have on average. */
  rows: number
  averageLength: number
  /** By term: how many visible rows have it, as far as it was counted. */
  holding: Map<string, number>
  /** About as many, by a sample of the rows. */
  sampled: Map<string, number>
}

export function fieldOver(name: FieldName, visible: Uint32Array, lengths: Uint32Array): Field {
  let [rows, total] = [0, 0]
  for (let i = 0; i < visible.length; i++) {
    const length = lengths[visible[i] ?? 0] ?? 0
    if (length > 0) rows++
    total += length
  }
  return { name, lengths, rows, averageLength: total / rows, holding: new Map(), sampled: new Map() }
}

/** The weight of a term: ln(1 + (N - df + .5)/(df + .5)). */
export const inverseDocumentFrequency = (rows: number, holding: number): number =>
  Math.log(1 + (rows - holding + 0.5) / (holding + 0.5))

/** Pieces of rows: tokens from `starts` to `ends`. */
export interface Pieces {
  starts: Uint32Array
  ends: Uint32Array
}

/** Whole rows. */
export function piecesOf({ tokenEnds }: TextColumns, rows: Uint32Array): Pieces {
  const all = tokenEnds.array
  const [starts, ends] = [new Uint32Array(rows.length), new Uint32Array(rows.length)]
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] ?? 0
    starts[i] = startOf(all, row)
    ends[i] = all[row] ?? 0
  }
  return { starts, ends }
}

/** The passages of some rows, row by row, and how many terms each field has there. */
export interface PassagePieces extends Pieces {
  rows: readonly number[]
  lengths: Readonly<Record<FieldName, Uint32Array>>
}

const wordsOf = ({ lengths }: TextColumns, row: number): number =>
  (lengths.word.array[row] ?? 0) + (lengths.stop.array[row] ?? 0)

export const isLong = (text: TextColumns, row: number): boolean => wordsOf(text, row) > passageWords

/** By row, how many terms a field has there; of the given long rows, in an average passage of them. */
export function passageLengths(text: TextColumns, long: Uint32Array, field: FieldName): Uint32Array {
  const lengths = text.lengths[field].array
  if (long.length === 0) return lengths
  const shortened = lengths.slice()
  for (const row of long) {
    const share = passageWords / wordsOf(text, row)
    shortened[row] = Math.max(1, Math.round((lengths[row] ?? 0) * share))
  }
  return shortened
}

/** Long rows cut into passages of about `passageWords`. Each begins in the middle of the one before. */
export function passagesOf(text: TextColumns, rows: readonly number[]): PassagePieces {
  const found: { row: number; start: number; end: number; lengths: Lengths }[] = []
  for (const row of rows) {
    const halves = halvesOf(text, row)
    for (const [i, half] of halves.entries()) {
      const next = halves[i + 1]
      if (next === undefined && i > 0) continue
      found.push({ row, start: half.start, end: (next ?? half).end, lengths: sum(half.lengths, next?.lengths) })
    }
  }
  return {
    rows: found.map(({ row }) => row),
    starts: Uint32Array.from(found, ({ start }) => start),
    ends: Uint32Array.from(found, ({ end }) => end),
    lengths: perField((field) => Uint32Array.from(found, ({ lengths }) => lengths[field])),
  }
}

function halvesOf(text: TextColumns, row: number): { start: number; end: number; lengths: Lengths }[] {
  const tokens = text.tokens.array
  const end = text.tokenEnds.array[row] ?? 0
  const halves: ReturnType<typeof halvesOf> = []
  // Of equal length: a shorter passage at the end would be favoured.
  const length = Math.ceil(wordsOf(text, row) / Math.round(wordsOf(text, row) / (passageWords / 2)))
  let [start, words, followsWord] = [startOf(text.tokenEnds.array, row), 0, false]
  let lengths = noLengths()
  for (let at = start; at < end; at++) {
    const token = tokens[at] ?? paragraph
    followsWord = text.addToken(lengths, token, followsWord)
    if (token === paragraph || ++words < length) continue
    halves.push({ start, end: at + 1, lengths })
    lengths = noLengths()
    start = at + 1
    words = 0
  }
  if (words > 0) halves.push({ start, end, lengths })
  return halves
}

const sum = (a: Lengths, b = noLengths()): Lengths => perField((field) => a[field] + b[field])
