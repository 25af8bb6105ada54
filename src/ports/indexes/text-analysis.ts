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
  /** Runs of letters of a folded word, `_` at its ends: words that share one may be forms or misspellings of another. */
  letterRuns(word: string): string[]
  /** By script and common words: ISO 639, `und` for letters that are not known, null where nothing decides. */
  language(text: string, kind: 'query' | 'text'): string | null
}
