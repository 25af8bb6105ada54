import { passageWords } from '../analysis/passage-length.ts'
import type { FieldName } from './field.ts'
import { paragraph, type TextColumns } from './text-columns.ts'

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
    starts[i] = row === 0 ? 0 : (all[row - 1] ?? 0)
    ends[i] = all[row] ?? 0
  }
  return { starts, ends }
}

/** The passages of some rows, row by row, and how many terms each field has there. */
export interface PassagePieces extends Pieces {
  rows: readonly number[]
  lengths: Readonly<Record<FieldName, Uint32Array>>
}

type Lengths = Record<FieldName, number>

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
  const lengthsOf = (field: FieldName) => Uint32Array.from(found, ({ lengths }) => lengths[field])
  return {
    rows: found.map(({ row }) => row),
    starts: Uint32Array.from(found, ({ start }) => start),
    ends: Uint32Array.from(found, ({ end }) => end),
    lengths: { word: lengthsOf('word'), bigram: lengthsOf('bigram'), char: lengthsOf('char'), stop: lengthsOf('stop') },
  }
}

interface Half {
  start: number
  end: number
  lengths: Lengths
}

function halvesOf(text: TextColumns, row: number): Half[] {
  const [tokens, stems, grams] = [text.tokens.array, text.stemOf.array, text.gramsOf.array]
  const end = text.tokenEnds.array[row] ?? 0
  const halves: Half[] = []
  // Of equal length: a shorter passage at the end would be favoured.
  const length = Math.ceil(wordsOf(text, row) / Math.round(wordsOf(text, row) / (passageWords / 2)))
  let [start, words, followsWord] = [row === 0 ? 0 : (text.tokenEnds.array[row - 1] ?? 0), 0, false]
  let lengths: Lengths = { word: 0, bigram: 0, char: 0, stop: 0 }
  for (let at = start; at < end; at++) {
    const token = tokens[at] ?? paragraph
    if (token === paragraph) {
      followsWord = false
      continue
    }
    if (stems[token - 1] === 0) lengths.stop++
    else {
      lengths.word++
      lengths.char += grams[token - 1] ?? 0
      if (followsWord) lengths.bigram++
      followsWord = true
    }
    if (++words < length) continue
    halves.push({ start, end: at + 1, lengths })
    lengths = { word: 0, bigram: 0, char: 0, stop: 0 }
    start = at + 1
    words = 0
  }
  if (words > 0) halves.push({ start, end, lengths })
  return halves
}

const sum = (a: Lengths, b: Lengths = { word: 0, bigram: 0, char: 0, stop: 0 }): Lengths => ({
  word: a.word + b.word,
  bigram: a.bigram + b.bigram,
  char: a.char + b.char,
  stop: a.stop + b.stop,
})
