import { languageOf } from '../analysis/lexemes.ts'
import type { OpenWord, QueryTerms } from '../analysis/query-terms.ts'
import type { WordLists } from '../memory/lists.ts'
import type { Visible } from '../shard/visible.ts'
import { type Sequence, sequenceOf } from '../text/sequences.ts'
import { type Field, postingRow, type TextColumns } from '../text/text-columns.ts'
import { completionsOf, lengthOf } from './completions.ts'

export const none: Uint32Array = new Uint32Array(0)

/** Two stems as number + 1, and the positions of their single terms among the query's terms. */
export interface Pair {
  first: number
  second: number
  firstTerm: number
  secondTerm: number
}

/** A search term: any of some words, or a pair of stems that are adjacent except for stop words. */
export interface Term {
  /** Unique within its field. */
  name: string
  /** Words that count as the term, as often as they are listed; empty for a pair. */
  words: Uint32Array
  pair: Pair | null
  field: Field
  /** The leg's weight times how often the query contains the term. */
  weight: number
  /** A row without it matches as well as one with it. */
  optional?: boolean
  /** Words that follow each other: of a synonym of several. */
  sequence?: Sequence
  /** As in how many visible rows it counts; default: as many as hold it. */
  rarity?: number
  /** Of a word that a text should have, or what stands for it: its place among the query's words. */
  place?: number
  /** Words that are the term as it is typed. */
  typed?: Uint32Array
  /** It counts as in no fewer visible rows. */
  commonAs?: number
  /** Of a synonym: names of pairs and n-grams of what it stands for, which come before it. It counts as all of them. */
  standsFor?: readonly string[]
  /** How many terms more the field would have, if a row had that instead. */
  longer?: number
}

/** The visible rows that contain a term, and how often each does; the first `length` entries of both are valid. */
interface Holding {
  rows: ArrayLike<number>
  counts: ArrayLike<number>
  length: number
}

/** Of all visible rows. */
export const holdingOf = ({ held }: Sequence): Holding => ({
  rows: [...held.keys()],
  counts: [...held.values()],
  length: held.size,
})

/** Finds the visible rows of each term, in the terms' order. The values for `visit` are valid until the next term. */
export type CountTerms = (terms: readonly Term[], visit: (term: Term, holding: Holding) => void) => void

/** A name in the text weighs more than its words. */
const wordWeights = { word: 1, whole: 2, part: 0.5 }
const bigramWeight = 0.4
const charWeight = 0.2
/** The same in languages with more endings and compounds than English. */
const inflectedCharWeight = 0.4

/** The terms of BM(word) + .4 BM(bigram) + .2 (or .4) BM(char4); each leg has its own field. */
export interface QueryLegs {
  words: Term[]
  bigrams: Term[]
  charGrams: Term[]
}

/** Its terms are valid until `lists` are reset. */
export function queryLegs(text: TextColumns, visible: Visible, query: QueryTerms, lists: WordLists): QueryLegs {
  const wordField = visible.field(query.field)
  const isShort = query.words.length <= maxPlaces
  const words = query.words.map(
    ({ keys, typed, mentions, kind }, place): Term => ({
      name: keys.join('\n'),
      words: kind === 'whole' ? wordsNamed(text, keys) : wordsOf(text, query.field, keys, lists),
      pair: null,
      field: wordField,
      weight: mentions * wordWeights[kind],
      optional: kind === 'part',
      ...(isShort && kind !== 'part' && { place, typed: wordsNamed(text, typed) }),
    }),
  )
  for (const open of query.open) complete(text, visible, words, open, lists)
  const charGrams = query.charGrams.size === 0 ? [] : charTerms(query, visible.field('char'), text, lists)
  const bigrams = query.bigrams.length === 0 ? [] : bigramsOf(text, query, visible.field('bigram'))
  if (query.synonyms.length > 0) replace(text, visible, { words, bigrams, charGrams }, query, lists)
  return { words, bigrams, charGrams }
}

/** No text has all of more words: bits of a number. */
const maxPlaces = 31

/** What words that begin like the last one weigh, the less the longer the rest. */
const completionWeight = 0.8

/**
 * Adds terms for the words that begin like an open one. Each is as rare as they are together: a rare ending must not make one
 * count more. To match well a row needs only the word itself, or else the shortest.
 */
function complete(text: TextColumns, visible: Visible, words: Term[], open: OpenWord, lists: WordLists): void {
  const own = words[open.place]
  if (own === undefined) return
  const { byRest, isWord, holding } = completionsOf(text, visible, open, own.words, lists)
  if (byRest.size === 0) return
  words[open.place] = { ...own, rarity: holding, optional: own.optional === true || !isWord }
  const shortest = Math.min(...byRest.keys())
  const length = lengthOf(open.beginning)
  for (const [rest, completions] of byRest) {
    words.push({
      name: `${own.name}\n${rest} more`,
      words: completions,
      pair: null,
      field: own.field,
      weight: own.weight * completionWeight * Math.sqrt(length / (length + rest)),
      optional: own.optional === true || isWord || rest !== shortest,
      rarity: holding,
      ...(own.place !== undefined && { place: own.place, typed: completions }),
    })
  }
}

/** What a synonym weighs of the word that it stands for. */
const synonymWeight = 0.8

/**
 * Adds terms for synonyms: for each word that one stands for, a term as rare as all together, and one for pairs and n-grams. A row
 * with a synonym has the word. Nothing is added for those that no visible row holds.
 */
function replace(
  text: TextColumns,
  visible: Visible,
  { words, bigrams, charGrams }: QueryLegs,
  query: QueryTerms,
  lists: WordLists,
): void {
  const rowsOf = rowsHolding(text, visible)
  const field = visible.field('word')
  const asked = words.slice(0, query.words.length)
  const added: Term[][] = asked.map(() => [])
  const letters: Term[] = []
  /** N-grams of a word that each of its forms in visible rows has. */
  const gramsOf = (place: number) => {
    const { grams = [], forms = [] } = { ...query.words[place], forms: asked[place]?.words }
    const seen = [...new Set(forms)].filter((word) => rowsOf(Uint32Array.of(word)).length > 0)
    return charGrams.filter(({ name, words }) => grams.includes(name) && seen.every((word) => words.includes(word)))
  }
  const partsOf = asked.map((_, place) => [
    ...bigrams.filter(({ pair }) => pair?.secondTerm === place),
    ...gramsOf(place),
  ])
  for (const { places, parts, isExact, gramCount } of query.synonyms) {
    const found = parts.map((keys) => (isExact ? wordsNamed(text, keys) : wordsOf(text, 'word', keys, lists)))
    const [only = none] = found
    const sequence = found.length > 1 ? sequenceOf(text, found, rowsOf) : undefined
    if ((sequence ? sequence.held.size : rowsOf(only).length) === 0) continue
    const name = `~${parts.map((keys) => keys[0]).join('\n')}`
    const term = { words: sequence ? none : only, pair: null, field, ...(sequence && { sequence }) }
    if (places.length === 0) words.push({ ...term, name, weight: synonymWeight })
    for (const place of places) {
      const own = asked[place]
      if (own === undefined) continue
      const shared = own.place === undefined ? {} : { place: own.place }
      added[place]?.push({ ...term, ...shared, name: `${own.name}${name}`, weight: synonymWeight * own.weight })
    }
    const standsFor = places
      .flatMap((place) => partsOf[place] ?? [])
      .filter(({ pair }) => pair === null || places.includes(pair.firstTerm))
      .map(({ name }) => name)
    if (standsFor.length === 0) continue
    const grams = places.reduce((sum, place) => sum + (query.words[place]?.grams?.length ?? 0), 0)
    const own = { name: `~${places}${name}`, field: visible.field('char'), weight: synonymWeight, standsFor }
    letters.push({ ...term, ...own, longer: grams - gramCount })
  }
  for (const [place, terms] of added.entries()) {
    const own = words[place]
    if (own === undefined || terms.length === 0) continue
    const held = new Set(rowsOf(own.words))
    const isWord = held.size > 0
    for (const { words: some, sequence } of terms)
      for (const row of sequence ? sequence.held.keys() : rowsOf(some)) held.add(row)
    const rarity = Math.max(held.size, own.rarity ?? 0)
    for (const part of partsOf[place] ?? []) part.commonAs = Math.max(rarity, part.commonAs ?? 0)
    // To match well a row needs the word, or else the first synonym.
    const isNeeded = own.optional !== true
    words[place] = { ...own, rarity, optional: !isNeeded || !isWord }
    words.push(...terms.map((term, i) => ({ ...term, rarity, optional: !isNeeded || isWord || i > 0 })))
  }
  charGrams.push(...letters)
}

/** The visible rows that hold one of some words, ascending. */
function rowsHolding(text: TextColumns, { flags }: Visible): (words: Uint32Array) => number[] {
  return (words) => {
    const rows = new Set<number>()
    for (const word of words) {
      text.postings.each(word, (posting) => {
        const row = postingRow(posting)
        if (flags[row] === 1) rows.add(row)
      })
    }
    return [...rows].sort((a, b) => a - b)
  }
}

function charTerms({ charGrams, inflected }: QueryTerms, field: Field, text: TextColumns, lists: WordLists): Term[] {
  const weight = inflected ? inflectedCharWeight : charWeight
  return [...charGrams].map(([name, mentions]) => ({
    name,
    words: lists.of(text.gramWords, [text.grams.find(name)]),
    pair: null,
    field,
    weight: weight * mentions,
  }))
}

function wordsOf(
  text: TextColumns,
  field: QueryTerms['field'],
  keys: readonly string[],
  lists: WordLists,
): Uint32Array {
  if (field === 'word')
    return lists.of(
      text.stemWords,
      keys.map((key) => text.stems.find(key)),
    )
  return wordsNamed(text, keys)
}

const wordsNamed = ({ words }: TextColumns, keys: readonly string[]): Uint32Array =>
  Uint32Array.from(keys.map((key) => words.find(key)).filter((word) => word >= 0))

/** A pair in each language that a text can have it in. */
function bigramsOf(text: TextColumns, query: QueryTerms, field: Field): Term[] {
  return query.bigrams.flatMap(({ first, second, mentions }) => {
    // The first of a language is the word as it is written.
    const others = new Map(query.words[second]?.keys.toReversed().map((key) => [languageOf(key), key]))
    return (query.words[first]?.keys ?? []).flatMap((key) => {
      const other = others.get(languageOf(key))
      if (other === undefined) return []
      const [one, two] = [text.stems.find(key) + 1, text.stems.find(other) + 1]
      if (one === 0 || two === 0) return []
      const pair = { first: one, second: two, firstTerm: first, secondTerm: second }
      return [{ name: `${one} ${two}`, words: none, pair, field, weight: bigramWeight * mentions }]
    })
  })
}
