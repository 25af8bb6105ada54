import type { Candidate } from '../../../ports/indexes/index-filter.ts'
import { readBag } from '../fields/text-fields.ts'
import { type Statistics, score, type Weighed, weigh } from './bm25.ts'
import { holdingsOf } from './holdings.ts'
import { typicalLength } from './length-class.ts'
import { neighbourScores } from './neighbours.ts'
import type { Term } from './query-terms.ts'
import { candidateQuestions, countOf, type Question } from './questions.ts'
import type { SearchClient } from './search-client.ts'
import { wordPairs } from './word-pairs.ts'

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
  return { statistics, words: bestWords(terms.map((term, i) => weigh(term, held[i]?.count ?? 0, statistics))) }
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
