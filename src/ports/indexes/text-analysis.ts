import type { Highlight } from './text-index.ts'

/** A word of a text and its position: UTF-16 offsets, `end` exclusive. */
export interface Word {
  /** Case and accents folded. */
  word: string
  /** Shared by related words: the stem, if the language has one. */
  term: string
  /** Too common to characterize a text. */
  stop: boolean
  start: number
  end: number
}

/** Splits texts into words, in the same way wherever texts are compared. Pure. */
export interface TextAnalysis {
  /** In the order of the text. */
  words(text: string): Word[]
  /** Names with symbols, as a whole: `C#`, `AT&T`, `check_output`, `1.2.3`. Their words are among those of `words`. */
  names(text: string): Word[]
  /** Runs of letters of a folded word, `_` at its ends: words that share one may be forms or misspellings of another. */
  letterRuns(word: string): string[]
  /**
   * Finds phrases in texts: as they are written, but for case, Unicode form, accents and white space. The result has the places of
   * each phrase, in their order.
   */
  phrases(phrases: readonly string[]): (text: string) => Highlight[][]
  /** Whether a text has one of some words, in any form. `language` is that of the text: ISO 639, null to tell it. */
  forms(words: readonly string[]): (text: string, language: string | null) => boolean
  /** By script and common words: ISO 639, `und` for letters that are not known, null where nothing decides. */
  language(text: string, kind: 'query' | 'text'): string | null
}
