import type { Word } from '../../ports/indexes/text-analysis.ts'

/** The terms of a text's topic, in order; if a text has only stop words, those. */
export function contentTerms(words: readonly Word[]): string[] {
  const content = words.filter(({ stop }) => !stop)
  return (content.length > 0 ? content : words).map(({ term }) => term)
}

const minLength = 4
const minPrefix = 5
/** Share of the longer word. */
const prefixShare = 0.6
/** Dice coefficient over trigrams of the words written `_word_`. */
const gramShare = 0.55

/**
 * Finds words of a text that may be spellings or forms of a term: inflections that no stemmer joins, and recognition
 * errors. Compares only words with the same first letter.
 */
export function likeness(words: Iterable<string>): (term: string) => string[] {
  const byLetter = Map.groupBy(new Set(words), (word) => word[0] ?? '')
  const grams = new Map<string, ReadonlySet<string>>()
  const gramsOf = (word: string) => {
    const known = grams.get(word) ?? trigrams(word)
    grams.set(word, known)
    return known
  }
  return (term) => (byLetter.get(term[0] ?? '') ?? []).filter((word) => word === term || areAlike(term, word, gramsOf))
}

function areAlike(a: string, b: string, gramsOf: (word: string) => ReadonlySet<string>): boolean {
  const [shorter, longer] = [Math.min(a.length, b.length), Math.max(a.length, b.length)]
  if (shorter < minLength || shorter < longer / 3 || longer > 64) return false
  let prefix = 0
  while (prefix < shorter && a[prefix] === b[prefix]) prefix += 1
  if (prefix >= minPrefix && prefix >= prefixShare * longer) return true
  const [here, there] = [gramsOf(a), gramsOf(b)]
  let both = 0
  for (const gram of here) if (there.has(gram)) both += 1
  return (2 * both) / (here.size + there.size) >= gramShare
}

function trigrams(word: string): ReadonlySet<string> {
  const written = `_${word}_`
  return new Set(Array.from({ length: written.length - 2 }, (_, i) => written.slice(i, i + 3)))
}

const trailing = /[.,;:!?]+$/u
/** Addresses with a scheme, `www.` or `@`, and bare hosts: `example.org/path`. Not `e.g.`, `3.5` and similar. */
const addresses =
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s<>()[\]"'`]+|\bwww\.[^\s<>()[\]"'`]+|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|(?<![\p{L}\p{N}._-])(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])(?:[:/?#][^\s<>()[\]"'`]*)?/giu

/** Addresses that a reader's client could turn into links or load as images; in lower case. */
export const addressesIn = (text: string): string[] =>
  (text.match(addresses) ?? []).map((address) => address.replace(trailing, '').toLowerCase())
