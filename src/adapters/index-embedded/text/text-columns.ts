import { languageOf, lexemeOf } from '../analysis/lexemes.ts'
import type { Column } from '../memory/column.ts'
import { Dictionary } from '../memory/dictionary.ts'
import { Lists } from '../memory/lists.ts'
import type { Store } from '../memory/store.ts'
import type { FieldName } from './field.ts'

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
    this.lengths = {
      word: store.column('lengths.word', 'u32'),
      bigram: store.column('lengths.bigram', 'u32'),
      char: store.column('lengths.char', 'u32'),
      stop: store.column('lengths.stop', 'u32'),
    }
  }

  /** The number of a word by its key; data that depends only on the key is computed when it is new, before anything changes. */
  intern(key: string): number {
    const known = this.words.find(key)
    if (known >= 0) return known
    const { stem, bare, charGrams } = lexemeOf(key)
    const number = this.words.intern(key)
    const language = languageOf(key)
    if (language !== null) this.languages.intern(language)
    for (const gram of charGrams) this.gramWords.append(this.grams.intern(gram), number + 1)
    const stemNumber = stem === null ? -1 : this.stems.intern(stem)
    if (stem !== null) this.stemWords.append(stemNumber, number + 1)
    if (bare !== null) this.stemWords.append(this.stems.intern(bare), number + 1)
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
    this.#measure(tokens)
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
    const start = row === 0 ? 0 : (this.tokenEnds.array[row - 1] ?? 0)
    return this.tokens.array.subarray(start, this.tokenEnds.array[row])
  }

  #measure(tokens: readonly number[]): void {
    let [words, bigrams, grams, stops, previous] = [0, 0, 0, 0, false]
    for (const token of tokens) {
      if (token === paragraph) previous = false
      else if (this.stemOf.array[token - 1] === 0) stops++
      else {
        words++
        grams += this.gramsOf.array[token - 1] ?? 0
        if (previous) bigrams++
        previous = true
      }
    }
    this.lengths.word.push(words)
    this.lengths.bigram.push(bigrams)
    this.lengths.char.push(grams)
    this.lengths.stop.push(stops)
  }
}
