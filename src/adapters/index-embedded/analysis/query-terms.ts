import type { Sought, Synonym } from '../../../ports/indexes/text-index.ts'
import { analyseNames, charGrams, isUnspaced, joinedOf, type Token } from './analyse.ts'
import { languageOfQuery } from './detect-language.ts'
import { fold, foldedOut } from './fold.ts'
import { bareKey, keyFor, keyOf, outKey, plainKey, stemKey, stopWords, wholeKey, writtenIn } from './lexemes.ts'
import { type Morphology, morphologyOf, stem } from './morphology.ts'

/** How often the query contains each term, in the order of first mention. */
export type Terms = ReadonlyMap<string, number>

/** A word of the query. */
export interface QueryWord {
  /** The keys of its stems: in English, and in each language of the texts that it may be a word of. */
  keys: readonly string[]
  /** The keys of the word as it is typed, in each language. */
  typed: readonly string[]
  /** Folded. */
  letters: string
  mentions: number
  /** A word of a text is itself; a name is found exactly; a part of a word counts less, and nothing where it is missing. */
  kind: Token['kind']
  /** Its n-grams; of a word alone. */
  grams?: readonly string[]
}

/** A last word, or name, that may be only the beginning of one. */
export interface OpenWord {
  /** Its place in `words`. */
  place: number
  /** Folded. */
  beginning: string
  isName: boolean
}

/** Two words of the query that follow each other without stop words, by their places in `words`. */
export interface QueryPair {
  first: number
  second: number
  mentions: number
}

/** What stands for some words of the query. */
export interface QuerySynonym {
  /** Of the words, in `words`; none for stop words, which nothing searches for. */
  places: readonly number[]
  /** By word of the synonym, the keys of its stems; of a name, or of one stop word, `isExact`: the key of the word. */
  parts: readonly (readonly string[])[]
  isExact: boolean
  /** How many n-grams its words have. */
  gramCount: number
}

export interface QueryTerms {
  /** Stop words are a separate field: they do not affect the statistics of other queries, but can be searched for. */
  field: 'word' | 'stop'
  /** Stop words if the query has no other words. */
  words: readonly QueryWord[]
  /** By stop word beside other words, its keys: they find no text, and put one that has them before others. None of a question, which is not a part of a text. */
  stops: readonly (readonly string[])[]
  /** Of the words. */
  open: readonly OpenWord[]
  bigrams: readonly QueryPair[]
  synonyms: readonly QuerySynonym[]
  charGrams: Terms
  /** Words of the query take endings of a language other than English: their letters say more. */
  inflected: boolean
}

/** What a question begins with. */
const questionWords = new Set('who whom whose what which when where why how'.split(' '))

/** The languages of a query. */
export interface QueryLanguages {
  /** The language of the query, or null to detect it. It decides only about stop words and the weight of letters. */
  query: string | null
  /** The languages of the texts, apart from English: a word matches a text with the same stem in the language of the text. */
  texts: readonly string[]
}

export function queryTerms(
  { text: query, synonyms = [], isOpen = false }: Sought,
  languages: QueryLanguages,
): QueryTerms {
  const own = morphologyOf(languages.query ?? languageOfQuery(query))
  const all = analyseNames(query)
  const tokens = all.filter(({ kind }) => kind !== 'whole')
  const opens = ({ word, end }: Token) => isOpen && end === query.length && !isUnspaced(word)
  const content = tokens.filter(
    (token) => opens(token) || writtenIn(token, query, own) !== null || !stopWords.has(token.word),
  )
  // A name of stop words alone is none: `and/or`.
  const wholes = all.filter(({ kind, ...name }) => kind === 'whole' && content.some((token) => isWithin(token, name)))
  const names = wholes.filter(({ word }) => joinedOf(word) === null)
  if (content.length + names.length === 0) {
    const { words, places } = collect(tokens, ({ word }) => [plainKey(word)])
    const standing = synonymsOf(synonyms, tokens, places, languages.texts)
    const rest = { stops: [], open: [], bigrams: [], charGrams: new Map(), inflected: false }
    return { field: 'stop', words, synonyms: standing, ...rest }
  }
  const keysOf = keysIn(query, languages.texts)
  const spellingOf = ({ start, end }: Token) => query.slice(start, end).normalize('NFKC').toLowerCase()
  const morphologies = [null, ...languages.texts.map(morphologyOf)]
  const typedOf = (token: Token) => [...new Set(morphologies.map((morphology) => keyOf(token, query, morphology)))]
  const { words, places } = collect(content, keysOf, spellingOf, typedOf)
  const { words: exact, places: exactPlaces } = collect(names, ({ word }) => [wholeKey(word)])
  const grams = content.flatMap((token, i) => {
    if (token.kind !== 'word') return []
    const written = own?.keepsMarks === true ? writtenIn(token, query, own) : null
    const found = gramsOf(written ?? token.word, opens(token))
    const word = words[places[i] ?? 0]
    if (word) word.grams = found
    return found
  })
  const openWord = (token: Token, place: number, isName: boolean): OpenWord[] =>
    opens(token) ? [{ place, beginning: token.word, isName }] : []
  return {
    field: 'word',
    words: [...words, ...exact],
    stops: questionWords.has(tokens[0]?.word ?? '')
      ? []
      : tokens.filter((token) => !content.includes(token)).map(typedOf),
    open: [
      ...content.flatMap((token, i) => openWord(token, places[i] ?? 0, false)),
      ...names.flatMap((token, i) => openWord(token, words.length + (exactPlaces[i] ?? 0), true)),
    ],
    bigrams: pairs(places),
    synonyms: [
      ...joinedIn(wholes, content, places, languages.texts),
      ...synonymsOf(
        synonyms,
        [...content, ...names],
        [...places, ...exactPlaces.map((place) => words.length + place)],
        languages.texts,
      ),
    ],
    charGrams: count(grams),
    inflected: own?.keepsMarks === false,
  }
}

/**
 * What stands for the words of a name that is also written without its signs: `wifi` for `Wi-Fi`. Not in other forms, among which are the
 * names themselves.
 */
function joinedIn(
  names: readonly Token[],
  words: readonly Token[],
  places: readonly number[],
  languages: readonly string[],
): QuerySynonym[] {
  return names.flatMap((name) => {
    const joined = joinedOf(name.word)
    if (joined === null) return []
    const stands = words.flatMap((token, i) => (isWithin(token, name) ? (places[i] ?? []) : []))
    const keys = [plainKey(joined), ...languages.map((language) => keyFor(language, joined))]
    return [{ places: [...new Set(stands)], parts: [keys], isExact: true, gramCount: gramCountOf([joined]) }]
  })
}

function synonymsOf(
  synonyms: readonly Synonym[],
  tokens: readonly Token[],
  places: readonly number[],
  languages: readonly string[],
): QuerySynonym[] {
  return synonyms.flatMap(({ start, end, to }) => {
    const stands = tokens.flatMap((token, i) =>
      token.kind !== 'part' && token.start < end && token.end > start ? (places[i] ?? []) : [],
    )
    return to.flatMap((phrase): QuerySynonym[] => {
      const found = partsOf(phrase, languages)
      const words = analyseNames(phrase).filter(({ kind, word }) => kind === 'word' && !stopWords.has(word))
      const gramCount = gramCountOf(words.map(({ word }) => word))
      return found.parts.length === 0 ? [] : [{ places: [...new Set(stands)], ...found, gramCount }]
    })
  })
}

const gramCountOf = (words: readonly string[]) => words.reduce((sum, word) => sum + charGrams(word).length, 0)

/** What a text must have, one after the other apart from stop words. Of several stop words alone, nothing. */
function partsOf(phrase: string, languages: readonly string[]): Pick<QuerySynonym, 'parts' | 'isExact'> {
  const all = analyseNames(phrase)
  const whole = all.find(({ kind, start, end }) => kind === 'whole' && phrase.slice(start, end) === phrase)
  if (whole) return { parts: [[wholeKey(whole.word)]], isExact: true }
  const words = all.filter(({ kind }) => kind === 'word')
  const content = words.filter(({ word }) => !stopWords.has(word))
  const [first] = words
  if (content.length === 0) return { parts: words.length === 1 && first ? [[plainKey(first.word)]] : [], isExact: true }
  return { parts: content.map(keysIn(phrase, languages)), isExact: false }
}

/** Of the beginning of a word, without those that have its end. */
const gramsOf = (word: string, isOpen: boolean): string[] => {
  const grams = charGrams(word)
  return isOpen ? grams.filter((gram) => !gram.endsWith('_')) : grams
}

const isWithin = ({ start, end }: Token, outer: Omit<Token, 'kind'>) => start >= outer.start && end <= outer.end

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
    const asWritten = query.slice(token.start, token.end)
    const plain = [plainKey(stem(token.word)), ...others]
    if (foldedOut(asWritten) === null) return plain
    return [...plain, ...[null, ...morphologies].flatMap((morphology) => outKey(asWritten, morphology) ?? [])]
  }
}

/**
 * Each distinct spelling once, in the order of first mention, and by token the place of its word. Not each distinct
 * stem: which stems differ depends on the languages in the index, which may be those of hidden texts alone.
 */
function collect(
  tokens: readonly Token[],
  keysOf: (token: Token) => readonly string[],
  spellingOf: (token: Token) => string = ({ word }) => word,
  typedOf: (token: Token) => readonly string[] = keysOf,
): { words: QueryWord[]; places: number[] } {
  const words: QueryWord[] = []
  const known = new Map<string, number>()
  const places = tokens.map((token) => {
    const name = spellingOf(token)
    const place = known.get(name) ?? words.length
    known.set(name, place)
    const before = words[place]
    words[place] = before
      ? { ...before, mentions: before.mentions + 1 }
      : { keys: keysOf(token), typed: typedOf(token), letters: token.word, mentions: 1, kind: token.kind }
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
