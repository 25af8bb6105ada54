import type { TextPhrases } from '../../../ports/indexes/index-filter.ts'
import { analyse, charGrams, isUnspaced, longestWord } from '../analysis/analyse.ts'
import { fold, foldedOut } from '../analysis/fold.ts'
import { bareKey, plainKey, spellingOf } from '../analysis/lexemes.ts'
import { morphologyOf } from '../analysis/morphology.ts'
import { WordLists } from '../memory/lists.ts'
import { paragraph, postingRow, type TextColumns } from './text-columns.ts'

/**
 * How many tokens may stand between two words that follow each other in a text: what the index has beside its words. Rows with more between
 * them may be left out.
 */
const slack = 8

/**
 * Clears the flags of rows that cannot keep to phrases: those without the words of a required one near each other in its order, and those
 * with an excluded word. What symbols, accents and stems decide is left to the catalog's text.
 */
export function keepPhrases(text: TextColumns, flags: Uint8Array, { required, excluded }: TextPhrases): void {
  const spelled = spellings(text)
  for (const phrase of required) {
    const words = wordsIn(phrase).map(spelled)
    const [first] = words
    if (first === undefined) continue
    for (const word of words) keepRows(flags, rowsWith(text, flags, word))
    if (words.length > 1) keepRows(flags, (row) => hasInOrder(text.row(row), words))
  }
  for (const phrase of excluded) {
    const [word, ...others] = wordsIn(phrase)
    // A word of a letter or two may be part of `C++`, and one with symbols is another than its letters.
    if (word === undefined || others.length > 0 || !/^\p{L}{3,}$/u.test(phrase)) continue
    const has = rowsWith(text, flags, spelled(word))
    keepRows(flags, (row) => !has(row))
  }
}

/**
 * The words that an index knows by their spelling. A lone `s` may be a possessive, which it skips. Two letters that stand for one may be written as one.
 */
const wordsIn = (phrase: string): string[] =>
  analyse(phrase).flatMap(({ word, start, end }) => {
    const isPlain = !/[aou]e|aa/.test(word) && foldedOut(phrase.slice(start, end)) === null
    return isPlain && word !== 's' && !isUnspaced(word) && [...word].length <= longestWord ? [word] : []
  })

function keepRows(flags: Uint8Array, keeps: (row: number) => boolean): void {
  for (let row = 0; row < flags.length; row++) if (flags[row] === 1 && !keeps(row)) flags[row] = 0
}

function rowsWith(text: TextColumns, flags: Uint8Array, words: ReadonlySet<number>): (row: number) => boolean {
  const has = new Uint8Array(flags.length)
  for (const word of words) {
    text.postings.each(word, (posting) => {
      has[postingRow(posting)] = 1
    })
  }
  return (row) => has[row] === 1
}

/** All words of the index that fold to a spelling, in every language: those with its n-grams among them, and stop words. */
function spellings(text: TextColumns): (word: string) => ReadonlySet<number> {
  const marked = text.languages.all().flatMap((language) => {
    const morphology = morphologyOf(language)
    return morphology?.keepsMarks === true ? [morphology] : []
  })
  return (word) => {
    const lists = new WordLists()
    const known = [...new Set(charGrams(word))].map((gram) => lists.of(text.gramWords, [text.grams.find(gram)]))
    const [shortest = new Uint32Array(0)] = known.sort((a, b) => a.length - b.length)
    const bare = marked.map((morphology) => text.stems.find(bareKey(word, morphology)))
    const alike = [...shortest].filter((number) => fold(spellingOf(text.words.text(number))).text === word)
    return new Set([text.words.find(plainKey(word)), ...alike, ...lists.of(text.stemWords, bare)].filter((n) => n >= 0))
  }
}

/** Whether each word follows the one before, as far as other tokens allow. */
function hasInOrder(tokens: Uint32Array, words: readonly ReadonlySet<number>[]): boolean {
  /** By word: the last place where it ends the beginning of the phrase. */
  const reached = words.map(() => Number.NEGATIVE_INFINITY)
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? paragraph
    if (token === paragraph) continue
    for (let i = words.length - 1; i >= 0; i--) {
      if (!words[i]?.has(token - 1)) continue
      if (i > 0 && at - (reached[i - 1] ?? 0) > slack + 1) continue
      reached[i] = at
      if (i === words.length - 1) return true
    }
  }
  return false
}
