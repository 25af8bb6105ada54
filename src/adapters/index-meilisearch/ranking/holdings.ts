import { type Matched, type Statistics, type Weighed, weigh } from './bm25.ts'
import type { Term } from './query-terms.ts'
import { countOf, holdersAmong, holdersOf, type Question } from './questions.ts'
import type { SearchClient } from './search-client.ts'
import type { WordPair } from './word-pairs.ts'

/** A Unit that may be among the best. */
export interface Candidate {
  id: string
  unitId: string
  length: number
  /** Its most frequent words with their counts, by token. */
  bag: ReadonlyMap<string, number>
  /** The bag contains all its words. */
  isWhole: boolean
}

/** The worth of the query's words, and its pairs, which are not counted yet. */
export interface QueryWorth {
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

const mayHold = ({ bag, isWhole }: Candidate, word: Term): boolean =>
  bag.has(word.q) || !isWhole || word.kind === 'stop'

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
