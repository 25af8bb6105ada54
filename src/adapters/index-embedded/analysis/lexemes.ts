import type { Token } from './analyse.ts'
import { charGrams } from './char-grams.ts'
import { fold } from './fold.ts'
import { type Morphology, morphologyOf } from './morphology.ts'
import { stem } from './stem.ts'
import { stopWords } from './stop-words.ts'

/** What the index stores of a word. */
export interface Lexeme {
  /** The key of its stem; null for a stop word. */
  stem: string | null
  /** The key of its spelling without marks, for a language where they distinguish words. */
  bare: string | null
  charGrams: readonly string[]
}

/** Separates a word from its language: no word contains it. */
const separator = ' '
const bareSuffix = '~'

/**
 * Identifies a word in the index: by its folded spelling, and a word of a language with rules of its own by its
 * spelling with marks and the language.
 */
export function keyOf(token: Token, text: string, morphology: Morphology | null): string {
  const written = writtenIn(token, text, morphology)
  return morphology === null || written === null ? token.word : `${written}${separator}${morphology.language}`
}

/** A word as its language writes it; null for one of another script. */
export const writtenIn = ({ start, end }: Token, text: string, morphology: Morphology | null): string | null =>
  morphology?.written(text.slice(start, end)) ?? null

/** Stems of different languages are different, even if they are spelled the same. */
export const stemKey = (written: string, morphology: Morphology): string =>
  `${morphology.stem(written)}${separator}${morphology.language}`

/** What a query without any marks finds in a language where they distinguish words. */
export const bareKey = (written: string, { language }: Morphology): string =>
  `${fold(written).text.replaceAll('đ', 'd')}${separator}${language}${bareSuffix}`

/** The language of a key, if it has one. */
export const languageOf = (key: string): string | null => key.split(separator)[1] ?? null

export function lexemeOf(key: string): Lexeme {
  const [spelling = ''] = key.split(separator)
  const morphology = morphologyOf(languageOf(key))
  if (morphology === null) {
    return stopWords.has(spelling)
      ? { stem: null, bare: null, charGrams: [] }
      : { stem: stem(spelling), bare: null, charGrams: charGrams(spelling) }
  }
  // Common words of other languages stay: their rarity says how much they count, and dropping them improved nothing.
  return {
    stem: stemKey(spelling, morphology),
    bare: morphology.keepsMarks ? bareKey(spelling, morphology) : null,
    charGrams: charGrams(morphology.keepsMarks ? spelling : fold(spelling).text),
  }
}
