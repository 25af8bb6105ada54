import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'

/** A text with its words: the input of vetoes. */
export interface Reading {
  text: string
  words: readonly Word[]
}

export const read = ({ words }: TextAnalysis, text: string): Reading => ({ text, words: words(text) })

export const emptyReading: Reading = { text: '', words: [] }

/** The part from `start` to `end` (UTF-16 offsets) as its own reading. */
export function part({ text, words }: Reading, start: number, end: number): Reading {
  const within: Word[] = []
  for (let i = firstFrom(words, start); i < words.length; i++) {
    const word = words[i]
    if (!word || word.end > end) break
    within.push({ ...word, start: word.start - start, end: word.end - start })
  }
  return { text: text.slice(start, end), words: within }
}

/** The index of the first word that starts there or later. Binary search, because a long text has many sentences. */
function firstFrom(words: readonly Word[], start: number): number {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle]?.start ?? 0) < start) low = middle + 1
    else high = middle
  }
  return low
}
