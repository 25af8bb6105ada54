import { type Stemmer, snowballStemmer } from './languages/stemmers.ts'

/** Porter2, the Snowball stemmer of English: https://snowballstem.org/algorithms/english/stemmer.html */
let porter2: Stemmer | undefined

const latin = /^[\p{Script=Latin}\p{N}]+$/u
/** Longer runs are identifiers, hashes and the like: they have no stem and would fill the cache. */
const longestStemmed = 64
const cacheLimit = 100_000
const cache = new Map<string, string>()

/** The stem of a folded word; a word of another script is its own stem. */
export function stem(word: string): string {
  const known = cache.get(word)
  if (known !== undefined) return known
  if (word.length > longestStemmed || !latin.test(word)) return word
  porter2 ??= snowballStemmer('english')
  const stemmed = porter2(word)
  // Cleared when full: vocabularies are small, so this is rare and cheaper than tracking use.
  if (cache.size >= cacheLimit) cache.clear()
  cache.set(word, stemmed)
  return stemmed
}
