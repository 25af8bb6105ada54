import type { Word } from '../../ports/indexes/text-analysis.ts'
import { irregularBase } from './irregular-forms.ts'
import type { Reading } from './reading.ts'

/** A word of a claim, as it is looked for in the evidence. */
export interface Claimed {
  /** Equal for forms of one word. */
  key: string
  stop: boolean
  /** Contains digits, or is capitalised and not the first word. */
  isName: boolean
}

export const keyOf = (word: Word | undefined): string => (word ? (irregularBase(word.word) ?? word.term) : '')

export function claimedIn({ text, words }: Reading): Claimed[] {
  return words.map((word, i) => ({
    key: keyOf(word),
    stop: word.stop,
    isName:
      /\p{Nd}/u.test(word.word) || (i > 0 && !word.stop && /^\p{Lu}/u.test(text.slice(word.start, word.start + 2))),
  }))
}
