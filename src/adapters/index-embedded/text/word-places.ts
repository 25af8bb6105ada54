import { startOf } from '../memory/store.ts'
import { paragraph, type TextColumns } from './text-columns.ts'

/** Limits the memory, 6 bytes for each token, and the time of sorting, some 20 ms. */
const maxTokens = 2 ** 20
/** Places are 16 bits wide. */
const maxRows = 2 ** 16

/** Where each word occurs in some rows: their tokens, sorted by word. */
export class WordPlaces {
  readonly rows: Uint32Array
  /** By occurrence: its position in the tokens, and the place of its row in `rows`. Those of a word follow each other. */
  readonly positions: Uint32Array
  readonly places: Uint16Array
  /** For each 32 words: a bit for each word that occurs, and how many words occur before them. */
  readonly #present: Uint32Array
  readonly #before: Uint32Array
  /** By word that occurs: its first occurrence. */
  readonly #starts: Uint32Array

  /** @param tokenCount how many tokens the rows have */
  constructor(text: TextColumns, rows: Uint32Array, tokenCount: number) {
    this.rows = rows
    this.#present = new Uint32Array((text.words.size >>> 5) + 1)
    eachWord(text, rows, (word) => {
      this.#present[word >>> 5] = (this.#present[word >>> 5] ?? 0) | (1 << (word & 31))
    })
    this.#before = new Uint32Array(this.#present.length)
    let words = 0
    for (let i = 0; i < this.#present.length; i++) {
      this.#before[i] = words
      words += bitsIn(this.#present[i] ?? 0)
    }
    const starts = new Uint32Array(words + 2)
    this.#starts = starts
    this.positions = new Uint32Array(tokenCount)
    this.places = new Uint16Array(tokenCount)
    // A counting sort by word; occurrences of a word stay in the order of the rows.
    eachWord(text, rows, (word) => {
      const next = this.find(word) + 2
      starts[next] = (starts[next] ?? 0) + 1
    })
    for (let i = 2; i < starts.length; i++) starts[i] = (starts[i] ?? 0) + (starts[i - 1] ?? 0)
    eachWord(text, rows, (word, at, place) => {
      const found = this.find(word) + 1
      const next = starts[found] ?? 0
      this.positions[next] = at
      this.places[next] = place
      starts[found] = next + 1
    })
  }

  /** How many tokens the rows have; infinitely many if they are too many to be sorted. */
  static tokensIn(text: TextColumns, rows: Uint32Array): number {
    if (rows.length > maxRows) return Number.POSITIVE_INFINITY
    const ends = text.tokenEnds.array
    let tokens = 0
    for (let i = 0; i < rows.length && tokens <= maxTokens; i++) {
      const row = rows[i] ?? 0
      tokens += (ends[row] ?? 0) - startOf(ends, row)
    }
    return tokens > maxTokens ? Number.POSITIVE_INFINITY : tokens
  }

  /** Lists those of some words that occur; `out` has a place more. Returns how many those are. */
  occurring(words: Uint32Array, out: Uint32Array): number {
    const present = this.#present
    let found = 0
    for (let i = 0; i < words.length; i++) {
      const word = words[i] ?? 0
      out[found] = word
      found += ((present[word >>> 5] ?? 0) >>> (word & 31)) & 1
    }
    return found
  }

  /** The first occurrence of a word, and the end of its occurrences; equal if there are none. */
  find(word: number): number {
    const bits = this.#present[word >>> 5] ?? 0
    if (((bits >>> (word & 31)) & 1) === 0) return -1
    return (this.#before[word >>> 5] ?? 0) + bitsIn(bits & ((1 << (word & 31)) - 1))
  }

  start(found: number): number {
    return this.#starts[found] ?? 0
  }
}

/** Each word of some rows, with its position in the tokens and the place of its row. */
function eachWord(text: TextColumns, rows: Uint32Array, visit: (word: number, at: number, place: number) => void) {
  const [tokens, ends] = [text.tokens.array, text.tokenEnds.array]
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] ?? 0
    const end = ends[row] ?? 0
    for (let at = startOf(ends, row); at < end; at++) {
      const word = (tokens[at] ?? paragraph) - 1
      if (word >= 0) visit(word, at, place)
    }
  }
}

/** Hacker's Delight (Warren 2012), 5-1. */
function bitsIn(value: number): number {
  let v = value - ((value >>> 1) & 0x55555555)
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333)
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
