import { isSingleSign, isUnspaced } from './analyse.ts'

const length = 4
/** Longer runs are identifiers, hashes and the like: people do not misspell them, and they would fill the index. */
const longestWord = 64

/**
 * The overlapping 4-grams of `_word_` (McNamee & Mayfield 2004), which survive typos and recognition errors. A word of
 * two letters or fewer is one gram, `#_word_`. In scripts without spaces a character carries more meaning and word
 * boundaries are guesses: there the grams are the pairs of adjacent characters.
 */
export function charGrams(word: string): string[] {
  const letters = [...word]
  if (letters.length > longestWord) return []
  if (isSingleSign(word)) return [word]
  if (isUnspaced(word)) return windows(letters, 2)
  return letters.length <= 2 ? [`#_${word}_`] : windows(['_', ...letters, '_'], length)
}

function windows(letters: readonly string[], size: number): string[] {
  return letters.slice(size - 1).map((_, i) => letters.slice(i, i + size).join(''))
}
