import { charGrams, fold, type Token } from './analyse.ts'
import { type Morphology, morphologyOf, stem } from './morphology.ts'

/** What the index stores of a word. */
interface Lexeme {
  /** The key of its stem; null for a stop word. */
  stem: string | null
  /** The key of its spelling without marks, for a language where they distinguish words. */
  bare: string | null
  charGrams: readonly string[]
}

/** Ends the language of a key. A language has none, so the word after it may be any text. */
const separator = ' '
/** Marks the language of a spelling without marks. */
const bareSuffix = '~'

const keyFor = (language: string, word: string): string => `${language}${separator}${word}`

/** The key of a folded word, or of its stem, that no other language has rules for. */
export const plainKey = (word: string): string => keyFor('', word)

/**
 * Identifies a word in the index: by its folded spelling, and a word of a language with rules of its own by its
 * spelling with marks and the language.
 */
export function keyOf(token: Token, text: string, morphology: Morphology | null): string {
  const written = writtenIn(token, text, morphology)
  return morphology === null || written === null ? plainKey(token.word) : keyFor(morphology.language, written)
}

/** A word as its language writes it; null for one of another script. One of several words of a character is as it is folded. */
export const writtenIn = ({ word, start, end }: Token, text: string, morphology: Morphology | null): string | null =>
  morphology?.written(text.slice(start, end)) ?? morphology?.written(word) ?? null

/** Stems of different languages are different, even if they are spelled the same. */
export const stemKey = (written: string, morphology: Morphology): string =>
  keyFor(morphology.language, morphology.stem(written))

/** What a query without any marks finds in a language where they distinguish words. */
export const bareKey = (written: string, { language }: Morphology): string =>
  keyFor(`${language}${bareSuffix}`, fold(written).text.replaceAll('đ', 'd'))

/** The language of a key, if it has one. */
export const languageOf = (key: string): string | null => key.slice(0, key.indexOf(separator)) || null

/** The word of a key, as it is written in its language. */
export const spellingOf = (key: string): string => key.slice(key.indexOf(separator) + separator.length)

export function lexemeOf(key: string): Lexeme {
  const spelling = spellingOf(key)
  const morphology = morphologyOf(languageOf(key))
  if (morphology === null) {
    return stopWords.has(spelling)
      ? { stem: null, bare: null, charGrams: [] }
      : { stem: plainKey(stem(spelling)), bare: null, charGrams: charGrams(spelling) }
  }
  // Common words of other languages stay: their rarity says how much they count, and dropping them improved nothing.
  return {
    stem: stemKey(spelling, morphology),
    bare: morphology.keepsMarks ? bareKey(spelling, morphology) : null,
    charGrams: charGrams(morphology.keepsMarks ? spelling : fold(spelling).text),
  }
}

/** Words too common in English to say what a text is about. A shorter list measurably reduces quality. */
export const stopWords: ReadonlySet<string> = new Set(
  `
  a about above after again against all am an and any are as at be because been before being below between both
  but by can did do does doing down during each few for from further had has have having he her here hers
  herself him himself his how i if in into is it its itself just me more most my myself no nor not now of off
  on once only or other our ours ourselves out over own same she should so some such than that the their theirs
  them themselves then there these they this those through to too under until up very was we were what when
  where which while who whom why will with would you your yours yourself yourselves`
    .trim()
    .split(/\s+/),
)
