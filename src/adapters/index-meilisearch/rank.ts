import type { Candidate } from '../../ports/indexes/index-filter.ts'
import {
  candidateQuestions,
  countOf,
  holdingsOf,
  type Question,
  type SearchClient,
  type Statistics,
  score,
  type Term,
  typicalLength,
  type Weighed,
  weigh,
  weighInstead,
  wordPairs,
} from './bm25.ts'
import { readBag } from './fields.ts'

/** The most valuable words of a query are used. */
const maxWords = 20

/** At least this many Units are scored, if there are enough, and the best `compared` of them are compared. */
const minCandidates = 500
const compared = 200
const minCompared = 3

/** The weight of the scores of a Unit's nearest neighbours, relative to its own score. */
const neighbourWeight = 0.5

/**
 * The Units that contain a word of the query, best first, ties in ascending unitId. It makes at most three requests:
 * the worth of words, the Units that are likely the best, and the terms of these Units that are not known yet. Then it
 * compares the best ones with each other. Meilisearch only matches and counts, under the filter. Its own ranking
 * ignores rarity and length, and its word statistics would include hidden Units.
 */
export async function rank(client: SearchClient, terms: readonly Term[], limit: number): Promise<Candidate[]> {
  const { statistics, words } = await measure(
    client,
    terms.filter(({ kind }) => kind !== 'pair'),
  )
  const held = words.filter(({ holding }) => holding > 0)
  if (held.length === 0) return []
  const pairs = wordPairs(
    terms.filter(({ kind }) => kind === 'pair'),
    held,
  )
  const wanted = Math.max(limit, minCandidates)
  const found = await client.merged(candidateQuestions(held, wanted), wanted)
  const candidates = found.map(({ id, unit_id: unitId, length, bag: written }) => {
    const bag = readBag(written)
    return { id, unitId, length, bag, isWhole: sum(bag.values()) === length }
  })
  const holdings = await holdingsOf(client, { statistics, words: held, pairs }, candidates)
  const { scores, confidence } = score([...words, ...holdings.pairs], holdings.matched, statistics)
  const ranked = sorted(candidates.map((unit, i) => ({ ...unit, score: scores[i] ?? 0 }))).filter(
    ({ score }) => score > 0,
  )
  const regularised = regularise(ranked)
  const best = regularised[0]?.score ?? 1
  return regularised.slice(0, limit).map(({ unitId, score }) => ({ unitId, score: (confidence * score) / best }))
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, number) => total + number, 0)

/** F = L + .5 a: L is the score as a share of the best score, `a` the same for its nearest neighbours. */
function regularise(ranked: readonly Ranked[]): Candidate[] {
  const best = ranked[0]?.score ?? 1
  const shares = ranked.map((unit) => ({ ...unit, score: unit.score / best }))
  const head = shares.slice(0, compared)
  if (head.length < minCompared) return shares
  const near = neighbourScores(
    head.map(({ bag }) => bag),
    head.map(({ score }) => score),
  )
  const moved = head.map(({ unitId, score }, i) => ({ unitId, score: score + neighbourWeight * (near[i] ?? 0) }))
  return [...sorted(moved), ...shares.slice(compared)]
}

type Ranked = Candidate & { bag: ReadonlyMap<string, number> }

const sorted = <T extends Candidate>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => b.score - a.score || (a.unitId < b.unitId ? -1 : 1))

/** The worth of words; of many words, the most valuable ones. */
async function measure(
  client: SearchClient,
  terms: readonly Term[],
): Promise<{ statistics: Statistics; words: readonly Weighed[] }> {
  const everything: Question = { ...countOf(''), facets: ['length_class'] }
  const [all, ...held] = await client.each([everything, ...terms.map(({ q }) => countOf(q))])
  const statistics = terms.some(({ kind }) => kind === 'stop')
    ? { units: all?.count ?? 0, averageLength: 1 }
    : lengthStatistics(all?.lengthClasses ?? {})
  const weighed = terms.map((term, i) => weigh(term, held[i]?.count ?? 0, statistics))
  return { statistics, words: bestWords(weighInstead(weighed, statistics)) }
}

function lengthStatistics(distribution: Readonly<Record<string, number>>): Statistics {
  let [units, total] = [0, 0]
  const classes = Object.entries(distribution).map(([key, count]) => ({ key: Number(key), count }))
  for (const { key, count } of classes.sort((a, b) => a.key - b.key)) {
    units += count
    total += count * typicalLength(key)
  }
  return { units, averageLength: units === 0 ? 1 : total / units }
}

/** Keeps the original order. */
function bestWords(words: readonly Weighed[]): Weighed[] {
  const chosen = words
    .toSorted((a, b) => Number(b.holding > 0) - Number(a.holding > 0) || b.worth - a.worth || (a.q < b.q ? -1 : 1))
    .slice(0, maxWords)
  return words.filter((word) => chosen.includes(word))
}

/** What candidates are compared by: how often each contains which terms. */
type Bag = ReadonlyMap<string, number>

const nearest = 5

/**
 * The scores of the nearest other candidates (score regularisation, Diaz 2005): the mean of `scores` over the 5 with
 * the greatest cosine, weighted by the cosines; 0 for a candidate that is near no other. A text is a vector of
 * (1 + ln tf) * ln(1 + (n - df + .5)/(df + .5)) by its terms, df among the n candidates. Terms in more than half of
 * them are ignored.
 */
export function neighbourScores(bags: readonly Bag[], scores: readonly number[]): number[] {
  const n = bags.length
  const cosines = cosinesOf(vectorsOf(bags), n)
  return bags.map((_, i) => {
    const row = cosines.subarray(i * n, (i + 1) * n)
    const others = [...row.keys()].filter((j) => j !== i && (row[j] ?? 0) > 0)
    const near = others.sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0) || a - b).slice(0, nearest)
    const total = near.reduce((sum, j) => sum + (row[j] ?? 0), 0)
    return total === 0 ? 0 : near.reduce((sum, j) => sum + (row[j] ?? 0) * (scores[j] ?? 0), 0) / total
  })
}

interface Posting {
  bag: number
  weight: number
}

/** By term, the bags that contain it and its weight there; vectors have length 1. */
function vectorsOf(bags: readonly Bag[]): Posting[][] {
  const postings = new Map<string, Posting[]>()
  for (const [bag, terms] of bags.entries()) {
    for (const [term, count] of terms) {
      const known = postings.get(term) ?? []
      postings.set(term, known)
      known.push({ bag, weight: 1 + Math.log(count) })
    }
  }
  const telling = [...postings.values()].filter(({ length }) => length > 1 && length <= bags.length / 2)
  const squares = new Float64Array(bags.length)
  for (const list of postings.values()) {
    if (list.length > bags.length / 2) continue
    const idf = Math.log(1 + (bags.length - list.length + 0.5) / (list.length + 0.5))
    for (const posting of list) {
      posting.weight *= idf
      squares[posting.bag] = (squares[posting.bag] ?? 0) + posting.weight ** 2
    }
  }
  for (const list of telling) for (const posting of list) posting.weight /= Math.sqrt(squares[posting.bag] ?? 1)
  return telling
}

function cosinesOf(vectors: readonly Posting[][], n: number): Float64Array {
  const cosines = new Float64Array(n * n)
  for (const list of vectors) {
    for (const one of list) {
      for (const other of list) {
        const at = one.bag * n + other.bag
        cosines[at] = (cosines[at] ?? 0) + one.weight * other.weight
      }
    }
  }
  return cosines
}
