import { fold } from './fold.ts'

/** A folded word, and its position in the original text (UTF-16 offsets, `end` exclusive). */
export interface Token {
  word: string
  start: number
  end: number
  /** A blank line precedes it. */
  opensParagraph: boolean
}

/** A possessive `'s` is matched only to be skipped, a blank line to separate paragraphs. */
const words = /(?<=[\p{L}\p{N}\p{M}])['’]s(?![\p{L}\p{N}\p{M}])|[\p{L}\p{N}\p{M}]+|\n[^\S\n]*\n/gu

/** Scripts that do not separate words by spaces. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

export const isUnspaced = (word: string): boolean => unspaced.test(word)

/** A word of one character that may be part of longer ones: these are indexed by pairs of characters alone. */
export const isSingleSign = (word: string): boolean => isUnspaced(word) && [...word].length === 1

// The script selects ICU's dictionary; the locale only has to be the same at ingest and query.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** The words of a text in order; the same at ingest, query and highlighting. */
export function analyse(text: string): Token[] {
  const folded = fold(text)
  const tokens: Token[] = []
  let opensParagraph = false
  const add = (word: string, index: number) => {
    const last = index + word.length - 1
    const start = folded.spans?.starts[index] ?? index
    tokens.push({ word, start, end: folded.spans?.ends[last] ?? last + 1, opensParagraph })
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
