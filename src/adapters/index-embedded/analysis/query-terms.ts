import { analyse, charGrams, fold, type Token } from './analyse.ts'
import { languageOfQuery } from './detect-language.ts'
import { bareKey, plainKey, stemKey, stopWords, writtenIn } from './lexemes.ts'
import { type Morphology, morphologyOf, stem } from './morphology.ts'

/** How often the query contains each term, in the order of first mention. */
export type Terms = ReadonlyMap<string, number>

/** A word of the query. */
export interface QueryWord {
  /** The keys of its stems: in English, and in each language of the texts that it may be a word of. */
  keys: readonly string[]
  mentions: number
}

/** Two words of the query that follow each other without stop words, by their places in `words`. */
export interface QueryPair {
  first: number
  second: number
  mentions: number
}

export interface QueryTerms {
  /** Stop words are a separate field: they do not affect the statistics of other queries, but can be searched for. */
  field: 'word' | 'stop'
  /** Stop words if the query has no other words. */
  words: readonly QueryWord[]
  bigrams: readonly QueryPair[]
  charGrams: Terms
  /** Words of the query take endings of a language other than English: their letters say more. */
  inflected: boolean
}

/** The languages of a query. */
export interface QueryLanguages {
  /** The language of the query, or null to detect it. It decides only about stop words and the weight of letters. */
  query: string | null
  /** The languages of the texts, apart from English: a word matches a text with the same stem in the language of the text. */
  texts: readonly string[]
}

export function queryTerms(query: string, languages: QueryLanguages): QueryTerms {
  const own = morphologyOf(languages.query ?? languageOfQuery(query))
  const tokens = analyse(query)
  const content = tokens.filter((token) => writtenIn(token, query, own) !== null || !stopWords.has(token.word))
  if (content.length === 0) {
    const spellings = tokens.map(({ word }) => word)
    const { words } = collect(
      spellings.map((word) => [plainKey(word)]),
      spellings,
    )
    return { field: 'stop', words, bigrams: [], charGrams: new Map(), inflected: false }
  }
  const keysOf = keysIn(query, languages.texts)
  const { words, places } = collect(
    content.map(keysOf),
    content.map(({ start, end }) => query.slice(start, end).normalize('NFKC').toLowerCase()),
  )
  const grams = content.flatMap((token) =>
    charGrams((own?.keepsMarks === true ? writtenIn(token, query, own) : null) ?? token.word),
  )
  return {
    field: 'word',
    words,
    bigrams: pairs(places),
    charGrams: count(grams),
    inflected: own?.keepsMarks === false,
  }
}

/** The keys of a token's stems in all languages. */
function keysIn(query: string, languages: readonly string[]): (token: Token) => string[] {
  const morphologies = languages.flatMap((language) => morphologyOf(language) ?? [])
  // Many people type no marks at all.
  const isBare = fold(query).text === query.normalize('NFKC').toLowerCase()
  const keyOf = (written: string, morphology: Morphology) =>
    morphology.keepsMarks && isBare ? bareKey(written, morphology) : stemKey(written, morphology)
  return (token) => {
    const others = morphologies.flatMap((morphology) => {
      const written = writtenIn(token, query, morphology)
      return written === null ? [] : [keyOf(written, morphology)]
    })
    return [plainKey(stem(token.word)), ...others]
  }
}

/**
 * Each distinct spelling once, in the order of first mention, and by token the place of its word. Not each distinct
 * stem: which stems differ depends on the languages in the index, which may be those of hidden texts alone.
 */
function collect(
  tokens: readonly (readonly string[])[],
  spellings: readonly string[],
): { words: QueryWord[]; places: number[] } {
  const words: QueryWord[] = []
  const known = new Map<string, number>()
  const places = tokens.map((keys, token) => {
    const name = spellings[token] ?? ''
    const place = known.get(name) ?? words.length
    known.set(name, place)
    words[place] = { keys, mentions: (words[place]?.mentions ?? 0) + 1 }
    return place
  })
  return { words, places }
}

function pairs(places: readonly number[]): QueryPair[] {
  const found = new Map<string, QueryPair>()
  for (const [i, second] of places.slice(1).entries()) {
    const first = places[i] ?? 0
    const name = `${first} ${second}`
    found.set(name, { first, second, mentions: (found.get(name)?.mentions ?? 0) + 1 })
  }
  return [...found.values()]
}

function count(terms: readonly string[]): Terms {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
