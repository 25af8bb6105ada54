import type { MultiSearchQuery, MultiSearchQueryWithFederation } from 'meilisearch'
import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import type { Sought } from '../../ports/indexes/text-index.ts'
import { startToken, wordToken } from './fields.ts'

/** A search term. */
export interface Term {
  /** The query for Meilisearch: a token, or a phrase. */
  q: string
  /** `instead`: a synonym, or a word that begins like the last one. It counts where the Unit has none of the words of `of`. */
  kind: 'word' | 'pair' | 'stop' | 'name' | 'instead'
  of?: readonly string[]
  /** The weight of a match: the weight of words or pairs times how often the query contains it. */
  weight: number
}

/** Pairs of adjacent words, as in the built-in ranking (Metzler & Croft 2005). */
const pairWeight = 0.4

/** A longer query uses its first words. Counting the Units of a word takes a separate query to Meilisearch. */
const maxWords = 24

/** A name in the text weighs more than its words; a synonym, or the beginning of a word, less. */
const [nameWeight, insteadWeight] = [2, 0.8]

/**
 * The distinct terms of a query in order of first mention, words before names, pairs and what stands for others; stop words if it has
 * nothing else.
 */
export function queryTerms({ text, synonyms = [], isOpen = false }: Sought, analysis: TextAnalysis): Term[] {
  const all = analysis.words(text)
  const opens = ({ end }: Word) => isOpen && end === text.length
  const found = all.filter((word) => !word.stop || opens(word))
  const names = analysis
    .names(text)
    .filter(({ start, end }) => found.some((one) => one.start >= start && one.end <= end))
  const tokenOf = ({ word, term, stop }: Word) =>
    wordToken(found.length > 0 || !stop ? term : word, found.length > 0 ? 'term' : 'stop')
  const asked = [
    ...(found.length > 0 ? found : all).map((word) => ({ ...word, q: tokenOf(word) })),
    ...names.map((name) => ({ ...name, q: wordToken(name.word, 'name') })),
  ]
  const instead = [
    ...synonyms.flatMap(({ start, end, to }) => {
      const of = asked.filter((one) => one.start < end && one.end > start).map(({ q }) => q)
      return to.map((phrase) => ({ q: phraseOf(phrase, analysis), of }))
    }),
    ...asked.filter(opens).map(({ q, word }) => ({ q: startToken(word), of: [q] })),
  ]
  const standing = instead
    .slice(0, maxWords)
    .flatMap(({ q, of }): Term[] => (q === '' ? [] : [{ q, of, kind: 'instead', weight: insteadWeight }]))
  return [...ownTerms(all, found.map(tokenOf), names), ...standing]
}

/** The words of a synonym next to each other. */
function phraseOf(phrase: string, analysis: TextAnalysis): string {
  const name = analysis.names(phrase).find(({ start, end }) => end - start === phrase.length)
  if (name) return wordToken(name.word, 'name')
  const words = analysis.words(phrase)
  const content = words.filter(({ stop }) => !stop).map(({ term }) => wordToken(term, 'term'))
  if (content.length > 1) return `"${content.join(' ')}"`
  return content[0] ?? (words.length === 1 && words[0] ? wordToken(words[0].word, 'stop') : '')
}

function ownTerms(words: readonly Word[], content: readonly string[], names: readonly Word[]): Term[] {
  const named = counted(
    names.map(({ word }) => wordToken(word, 'name')),
    'name',
    nameWeight,
  )
  if (content.length === 0) {
    const stops = counted(
      words.map(({ word }) => wordToken(word, 'stop')),
      'stop',
      1,
    )
    return [...stops, ...named]
  }
  const kept = new Set([...new Set(content)].slice(0, maxWords))
  const pairs = content
    .slice(1)
    .flatMap((second, i) => (kept.has(second) && kept.has(content[i] ?? '') ? [`"${content[i]} ${second}"`] : []))
  return [
    ...counted(
      content.filter((word) => kept.has(word)),
      'word',
      1,
    ),
    ...named,
    ...counted(pairs, 'pair', pairWeight),
  ]
}

function counted(queries: readonly string[], kind: Term['kind'], weight: number): Term[] {
  const counts = new Map<string, number>()
  for (const q of queries) counts.set(q, (counts.get(q) ?? 0) + 1)
  return [...counts].slice(0, maxWords).map(([q, mentions]) => ({ q, kind, weight: weight * mentions }))
}

const k1 = 1.2
const b = 0.75

/** Counted only over the Units that the filter lets through. */
export interface Statistics {
  /** Units with a term. */
  units: number
  averageLength: number
}

/** A term, how many of the Units contain it, and its resulting worth. */
export interface Weighed extends Term {
  holding: number
  /** weight * ln(1 + (N - df + .5)/(df + .5)) */
  worth: number
  /** A Unit without it matches as well. */
  optional?: boolean
}

/**
 * With what stands for others: as rare as all together, at most. What no Unit holds stands for nothing, and a word that no Unit holds is left out
 * for what stands for it.
 */
export function weighInstead(words: readonly Weighed[], statistics: Statistics): Weighed[] {
  const standing = words.filter(({ kind, holding }) => kind === 'instead' && holding > 0)
  if (standing.length === 0) return words.filter(({ kind }) => kind !== 'instead')
  const own = new Map(
    words.map((word) => {
      const others = standing.filter(({ of }) => of?.includes(word.q))
      const holding = Math.min(statistics.units, word.holding + sum(others.map(({ holding }) => holding)))
      const { worth } = weigh(word, others.length > 0 ? holding : word.holding, statistics)
      return [word.q, { ...word, worth, optional: others.length > 0 && word.holding === 0 }]
    }),
  )
  const first = new Set<string>()
  const terms = standing.map((term) => {
    const of = (term.of ?? []).flatMap((q) => own.get(q) ?? [])
    const worth = of.length === 0 ? term.worth : term.weight * sum(of.map((word) => word.worth))
    const isFirst = of.some(({ q, optional }) => optional && !first.has(q))
    for (const { q } of of) first.add(q)
    return { ...term, worth, optional: of.length > 0 && !isFirst }
  })
  return [...words.flatMap((word) => (word.kind === 'instead' ? [] : (own.get(word.q) ?? []))), ...terms]
}

export function weigh(term: Term, holding: number, { units }: Statistics): Weighed {
  return { ...term, holding, worth: term.weight * Math.log(1 + Math.max(0, units - holding + 0.5) / (holding + 0.5)) }
}

/** A Unit that contains some of the terms. `counts`: by a term's `q`, how often. */
interface Matched {
  unitId: string
  length: number
  counts: ReadonlyMap<string, number>
}

/**
 * BM25 (Robertson & Zaragoza 2009, k1 = 1.2, b = .75) of words and pairs, in the order of `matched`:
 *
 *   sum of worth * tf * 2.2 / (tf + 1.2 * (.25 + .75 * dl/avgdl))
 *
 * `confidence`, 0..1: how well the best one matches: the score of its words, as a share of the score of a Unit of
 * average length that contains each word of the query as often as the query does.
 */
export function score(
  terms: readonly Weighed[],
  matched: readonly Matched[],
  statistics: Statistics,
): { scores: number[]; confidence: number } {
  const full = sum(terms.filter(({ kind, optional }) => kind !== 'pair' && !optional).map(({ worth }) => worth))
  let best = 0
  const scores = matched.map(({ length, counts }) => {
    let [words, pairs] = [0, 0]
    const shortness = k1 * (1 - b + (b * length) / statistics.averageLength)
    for (const term of terms) {
      const isNeedless = term.kind === 'instead' && term.of?.some((q) => counts.has(q))
      const count = isNeedless ? 0 : (counts.get(term.q) ?? 0)
      const gain = term.worth * ((count * (k1 + 1)) / (count + (term.kind === 'stop' ? k1 : shortness)))
      if (term.kind === 'pair') pairs += gain
      else words += gain
    }
    best = Math.max(best, words)
    return words + pairs
  })
  return { scores, confidence: full > 0 ? Math.min(1, best / full) : 0 }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** A phrase of two words of the query that Units contain. */
interface WordPair {
  term: Term
  first: Weighed
  second: Weighed
}

/** Of longer queries, the pairs of the most valuable words are used. */
const maxPairs = 10

export function wordPairs(pairs: readonly Term[], words: readonly Weighed[]): WordPair[] {
  const known = new Map(words.map((word) => [word.q, word]))
  const held = pairs.flatMap((term): WordPair[] => {
    const [first, second] = term.q
      .slice(1, -1)
      .split(' ')
      .map((word) => known.get(word))
    return first === undefined || second === undefined ? [] : [{ term, first, second }]
  })
  const worth = ({ first, second }: WordPair) => first.worth + second.worth
  return held.sort((a, b) => worth(b) - worth(a) || (a.term.q < b.term.q ? -1 : 1)).slice(0, maxPairs)
}

/** A Unit that may be among the best. */
interface Candidate {
  id: string
  unitId: string
  length: number
  /** Its most frequent words with their counts, by token. */
  bag: ReadonlyMap<string, number>
  /** The bag contains all its words. */
  isWhole: boolean
}

/** The worth of the query's words, and its pairs, which are not counted yet. */
interface QueryWorth {
  statistics: Statistics
  words: readonly Weighed[]
  pairs: readonly WordPair[]
}

/** Up to this number the ids are listed directly, instead of counting first. */
const maxListed = 300

/** A term whose counts the bags do not contain, and the questions for it; of a pair, the first question counts it. */
interface Open {
  term: Term
  questions: readonly Question[]
}

/**
 * How often each candidate contains each term, in one request at most, and the worth of pairs. The bags answer most of
 * it. Meilisearch is queried only for words that a bag may have left out, and for pairs where a candidate may contain
 * both words.
 */
export async function holdingsOf(
  client: SearchClient,
  { statistics, words, pairs }: QueryWorth,
  candidates: readonly Candidate[],
): Promise<{ pairs: readonly Weighed[]; matched: readonly Matched[] }> {
  const open = [...openWords(words, candidates), ...openPairs(pairs, candidates)]
  const results = open.length === 0 ? [] : await client.each(open.flatMap(({ questions }) => questions))
  const left = [...results]
  const answered = open.map(({ term, questions }) => {
    const own = left.splice(0, questions.length)
    return { term, holding: own[0]?.count ?? 0, ids: new Set(own.flatMap(({ ids }) => ids)) }
  })
  const weighed = answered.flatMap(({ term, holding }) =>
    term.kind === 'pair' ? [weigh(term, holding, statistics)] : [],
  )
  const matched = candidates.map(({ id, unitId, length, bag }) => {
    const held = answered.filter(({ ids }) => ids.has(id)).map(({ term: { q } }) => [q, bag.get(q) ?? 1] as const)
    const said = words.flatMap(({ q }) => (bag.has(q) ? [[q, bag.get(q) ?? 0] as const] : []))
    return { unitId, length, counts: new Map([...said, ...held]) }
  })
  return { pairs: weighed, matched }
}

/** A bag has words alone. */
const mayHold = ({ bag, isWhole }: Candidate, word: Term): boolean =>
  bag.has(word.q) || !isWhole || word.kind !== 'word'

function openWords(words: readonly Weighed[], candidates: readonly Candidate[]): Open[] {
  return words.flatMap((term) => {
    const unknown = candidates.filter((one) => mayHold(one, term) && !one.bag.has(term.q)).map(({ id }) => id)
    return unknown.length === 0 ? [] : [{ term, questions: [holdersAmong(term.q, unknown)] }]
  })
}

function openPairs(pairs: readonly WordPair[], candidates: readonly Candidate[]): Open[] {
  return pairs.flatMap(({ term, first, second }): Open[] => {
    const among = candidates.filter((one) => mayHold(one, first) && mayHold(one, second)).map(({ id }) => id)
    if (among.length === 0) return []
    const isRare = Math.min(first.holding, second.holding) <= maxListed
    return [
      { term, questions: isRare ? [holdersOf(term.q, maxListed)] : [countOf(term.q), holdersAmong(term.q, among)] },
    ]
  })
}

/** A query without the index, the filter and the order, which all queries share; `among`: only these documents. */
export type Question = Omit<MultiSearchQuery, 'indexUid' | 'filter' | 'sort'> & { among?: readonly string[] }
type WeightedQuestion = Omit<Question, 'among'> & Pick<MultiSearchQueryWithFederation, 'federationOptions'>

/** Meilisearch ignores all words after the tenth. */
const wordLimit = 10

/** How many Units contain it, without the Units. */
export const countOf = (q: string): Question => ({ q, matchingStrategy: 'all', hitsPerPage: 0 })

/** Which of the documents contain it. */
const holdersAmong = (q: string, among: readonly string[]): Question => ({
  ...{ q, matchingStrategy: 'all', limit: among.length, among },
})

/** How many Units contain it, and which: all of them if there are at most `limit`. */
const holdersOf = (q: string, limit: number): Question => ({ q, matchingStrategy: 'all', hitsPerPage: limit })

/**
 * Finds the Units that are likely to score well. Words are sorted by worth and queried in windows of ten, one starting
 * at each word. Meilisearch drops words from the end, so a window finds the Units that contain its first word, those
 * with more of the following words first. A match is weighted by the worth of the window's words. The windows together
 * find every Unit with any word. With more than ten words, the windows that start with the least valuable ones are left
 * out once an earlier window finds as many as wanted: they would only add Units without better words.
 */
export function candidateQuestions(words: readonly Weighed[], wanted: number): WeightedQuestion[] {
  const byWorth = words.toSorted((a, b) => b.worth - a.worth || (a.q < b.q ? -1 : 1))
  const sorted = byWorth.filter((word) => !isPhrase(word))
  // The words of a phrase would count to the ten.
  const phrases = byWorth.filter(isPhrase).map(
    ({ q, worth }): WeightedQuestion => ({
      ...{ q, matchingStrategy: 'all', federationOptions: { weight: worth } },
    }),
  )
  const last = sorted.findIndex(({ holding }) => holding >= wanted)
  const windows = sorted.slice(0, last < 0 ? sorted.length : Math.max(wordLimit, last + 1)).map((_, i) => {
    const window = sorted.slice(i, i + wordLimit)
    const weight = window.reduce((total, { worth }) => total + worth, 0)
    const q = window.map(({ q }) => q).join(' ')
    return { q, matchingStrategy: 'last', federationOptions: { weight } } satisfies WeightedQuestion
  })
  return [...windows, ...phrases]
}

const isPhrase = ({ q }: Term): boolean => q.startsWith('"')

/** A Unit as Meilisearch lists it. */
interface Found {
  id: string
  unit_id: string
  length: number
  /** As in text-fields.ts. */
  bag: string
}

/** The Units that contain it: how many, which, and how many in each class of lengths. */
interface Result {
  ids: string[]
  count: number
  lengthClasses: Readonly<Record<string, number>>
}

/** Queries Meilisearch under the filter of one search. */
export interface SearchClient {
  /** One result per question. */
  each(questions: readonly Question[]): Promise<Result[]>
  /** One merged list, each Unit once. */
  merged(questions: readonly WeightedQuestion[], limit: number): Promise<Found[]>
}

/** Lengths in one class differ by less than 10 %. */
const ratio = Math.log(1.1)

/** Lengths up to a million are in 146 classes: few enough to request the count of each. */
export const lengthClass = (length: number): number => Math.round(Math.log(length) / ratio)

/** A length in the middle of its class. */
export const typicalLength = (lengthClass: number): number => Math.exp(lengthClass * ratio)
