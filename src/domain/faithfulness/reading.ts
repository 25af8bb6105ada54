import type { TextAnalysis, Word } from '../../ports/text-analysis.ts'

/** A text beside its words: what vetoes look at. */
export interface Reading {
  text: string
  words: readonly Word[]
}

export const read = ({ words }: TextAnalysis, text: string): Reading => ({ text, words: words(text) })
