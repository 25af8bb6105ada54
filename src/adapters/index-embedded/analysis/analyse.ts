import { fold } from './fold.ts'
import { stem } from './stem.ts'
import { stopWords } from './stop-words.ts'

/** A word as the index knows it, and where it stands in the original text (UTF-16 offsets, `end` exclusive). */
export interface Token {
  /** The stem; the word itself for a stop word. */
  term: string
  stop: boolean
  start: number
  end: number
}

/** A possessive `'s` is matched only to be skipped. */
const words = /(?<=[\p{L}\p{N}\p{M}])['’]s(?![\p{L}\p{N}\p{M}])|[\p{L}\p{N}\p{M}]+/gu

/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

// The dictionaries of ICU are chosen by script; the locale only has to be the same at ingest and query.
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

/** The words of a text in order; the same at ingest, query and highlighting. */
export function analyse(text: string): Token[] {
  const folded = fold(text)
  const tokens: Token[] = []
  const add = (word: string, index: number) => {
    const last = index + word.length - 1
    const stop = stopWords.has(word)
    tokens.push({
      term: stop ? word : stem(word),
      stop,
      start: folded.spans?.starts[index] ?? index,
      end: folded.spans?.ends[last] ?? last + 1,
    })
  }
  for (const { 0: word, index } of folded.text.matchAll(words)) {
    if (word.startsWith("'") || word.startsWith('’')) continue
    if (!unspaced.test(word)) add(word, index)
    else for (const part of segmenter.segment(word)) add(part.segment, index + part.index)
  }
  return tokens
}
