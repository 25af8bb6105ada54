import { charGrams, joinedOf, type Token } from './analyse.ts'
import { fold, foldedOut } from './fold.ts'
import { type Morphology, morphologyOf, stem } from './morphology.ts'

/** What the index stores of a word. */
interface Lexeme {
  /** The key of its stem; null for a stop word. */
  stem: string | null
  /** Keys by which it is found as well: without marks where they distinguish words, and with letters written as two. */
  others: readonly string[]
  charGrams: readonly string[]
}

/** Ends the language of a key. A language has none, so the word after it may be any text. */
const separator = ' '
/** Marks the language of a spelling without marks. */
const bareSuffix = '~'

/** In place of a language: a name with its symbols, and a word with letters that are also written as two. */
const [wholeMark, outMark] = ['=', '*']

/** The key of a word in a language. */
export const keyFor = (language: string, word: string): string => `${language}${separator}${word}`

/** The key of a folded word, or of its stem, that no other language has rules for. */
export const plainKey = (word: string): string => keyFor('', word)

/** The key of a name with its symbols. */
export const wholeKey = (word: string): string => keyFor(wholeMark, word)
/** The key of the word that a name is without its signs; null for another name. */
export function joinedKey(name: string): string | null {
  const joined = joinedOf(name)
  return joined === null ? null : plainKey(stem(joined))
}
export const isWholeKey = (key: string): boolean => key.startsWith(wholeMark + separator)

/**
 * Identifies a word in the index: by its folded spelling, and a word of a language with rules of its own by its
 * spelling with marks and the language.
 */
export function keyOf(token: Token, text: string, morphology: Morphology | null): string {
  if (token.kind === 'whole') return wholeKey(token.word)
  const written = writtenIn(token, text, morphology)
  if (morphology !== null && written !== null) return keyFor(morphology.language, written)
  const asWritten = text.slice(token.start, token.end)
  return foldedOut(asWritten) === null
    ? plainKey(token.word)
    : keyFor(outMark, asWritten.normalize('NFC').toLowerCase())
}

/** A word as its language writes it; null for one of another script. One of several words of a character is as it is folded. */
export const writtenIn = ({ word, start, end }: Token, text: string, morphology: Morphology | null): string | null =>
  morphology?.written(text.slice(start, end)) ?? morphology?.written(word) ?? null

/** Stems of different languages are different, even if they are spelled the same. */
export const stemKey = (written: string, morphology: Morphology): string =>
  keyFor(morphology.language, morphology.stem(written))

/** What a query without any marks finds in a language where they distinguish words. */
export const bareKey = (written: string, { language }: Morphology): string =>
  keyFor(`${language}${bareSuffix}`, fold(written).text)

/** The language of a key, if it has one. */
export function languageOf(key: string): string | null {
  const language = key.slice(0, key.indexOf(separator))
  return language === '' || language === wholeMark || language === outMark ? null : language
}

/** The key of a stem with letters written as two, for a word that has some; null for others. */
export function outKey(written: string, morphology: Morphology | null): string | null {
  const out = foldedOut(written)
  if (out === null) return null
  return morphology === null ? plainKey(stem(out)) : stemKey(out, morphology)
}

/** The word of a key, as it is written in its language. */
export const spellingOf = (key: string): string => key.slice(key.indexOf(separator) + separator.length)

export function lexemeOf(key: string): Lexeme {
  const spelling = spellingOf(key)
  if (isWholeKey(key)) {
    const joined = joinedKey(spelling)
    return { stem: null, others: joined === null ? [] : [joined], charGrams: [wholeStart(spelling)] }
  }
  const morphology = morphologyOf(languageOf(key))
  const out = outKey(spelling, morphology)
  const others = out === null ? [] : [out]
  // It is also listed by the beginning that it has with letters written as two.
  const outStart = out === null ? [] : charGrams(foldedOut(spelling) ?? '').slice(0, 1)
  if (morphology === null) {
    const folded = fold(spelling).text
    return stopWords.has(spelling)
      ? { stem: null, others, charGrams: [] }
      : { stem: plainKey(stem(folded)), others, charGrams: [...charGrams(folded), ...outStart] }
  }
  // Common words of other languages stay: their rarity says how much they count, and dropping them improved nothing.
  return {
    stem: stemKey(spelling, morphology),
    others: morphology.keepsMarks ? [bareKey(spelling, morphology)] : others,
    charGrams: [...charGrams(morphology.keepsMarks ? spelling : fold(spelling).text), ...outStart],
  }
}

/** A word as people type it: folded, and with letters that are also written as two. */
export function typedForms(word: string): string[] {
  const out = foldedOut(word)
  const folded = fold(word).text
  return out === null ? [folded] : [folded, out]
}

/** The n-gram that lists names by their beginning; no word has it. */
const wholeStart = (name: string): string => `=${[...name].slice(0, 3).join('')}`

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
