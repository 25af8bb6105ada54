/** A word of a text, and where it stands: UTF-16 offsets, `end` exclusive. */
export interface Word {
  /** Case and accents folded. */
  word: string
  /** What words of one origin share: the stem, where the language has one. */
  term: string
  /** Too common to say what a text is about. */
  stop: boolean
  start: number
  end: number
}

/** How texts are taken apart into words, the same wherever texts are compared. Pure. */
export interface TextAnalysis {
  /** In the order of the text. */
  words(text: string): Word[]
}
