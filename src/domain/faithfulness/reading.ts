import type { TextAnalysis, Word } from '../../ports/text-analysis.ts'

/** A text beside its words: what vetoes look at. */
export interface Reading {
  text: string
  words: readonly Word[]
}

export const read = ({ words }: TextAnalysis, text: string): Reading => ({ text, words: words(text) })

export const emptyReading: Reading = { text: '', words: [] }

/** What stands from `start` to `end` (UTF-16 offsets), read on its own. */
export function part({ text, words }: Reading, start: number, end: number): Reading {
  const within = words.filter((word) => word.start >= start && word.end <= end)
  return {
    text: text.slice(start, end),
    words: within.map((word) => ({ ...word, start: word.start - start, end: word.end - start })),
  }
}
