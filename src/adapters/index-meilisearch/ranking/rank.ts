import type { Candidate } from '../../../ports/index-filter.ts'
import { readBag } from '../text-fields.ts'
import { type Matched, type Statistics, score, type Weighed, weigh } from './bm25.ts'
import { typicalLength } from './length-class.ts'
import { neighbourScores } from './neighbours.ts'
import type { Term } from './query-terms.ts'
import { candidateQuestions, countOf, type Question, type WeightedQuestion } from './questions.ts'

/** A Unit that may be among the best. */
export interface Found {
  id: string
  unit_id: string
  length: number
  /** As in text-fields.ts. */
  bag: string
}

/** What holds something: how many, or which, and how many of each class of lengths. */
export interface Result {
  ids: string[]
  count: number
  lengthClasses: Readonly<Record<string, number>>
}

/** Asks Meilisearch under the filter of one search. */
export interface Desk {
  /** A result for each question. */
  each(questions: readonly Question[], among?: readonly string[]): Promise<Result[]>
  /** One list of all, each Unit once. */
  merged(questions: readonly WeightedQuestion[], limit: number): Promise<Found[]>
}

/** Of each kind, the terms that tell most are looked at. */
const mostTerms = 20

/** So many Units are scored at least, and the best so many of them compared, if there are enough. */
const fewestCandidates = 300
const compared = 200
const fewestCompared = 3

/** How much what is said by a Unit's nearest neighbours counts beside what it says itself. */
const neighbourWeight = 0.5

/**
 * The Units that hold a word of the query, best first, ties in ascending unitId, in three rounds: what terms are worth,
 * which Units are likely to be among the best, and which terms they hold. The best are then compared with each other.
 * Meilisearch only matches and counts, under the filter: its own order knows neither rarity nor length, and what it could
 * count of words would count hidden Units too.
 */
export async function rank(desk: Desk, terms: readonly Term[], limit: number): Promise<Candidate[]> {
  const { statistics, weighed } = await measure(desk, terms)
  const kept = mostTelling(weighed)
  const asked = kept.filter(({ holding }) => holding > 0)
  if (!asked.some(({ kind }) => kind !== 'pair')) return []
  const candidates = await desk.merged(candidateQuestions(asked), Math.max(limit, fewestCandidates))
  const matched = await count(desk, asked, candidates)
  const { scores, confidence } = score(kept, matched, statistics)
  const ranked = sorted(matched.map((unit, i) => ({ ...unit, score: scores[i] ?? 0 }))).filter(({ score }) => score > 0)
  const regularised = regularise(ranked)
  const best = regularised[0]?.score ?? 1
  return regularised.slice(0, limit).map(({ unitId, score }) => ({ unitId, score: (confidence * score) / best }))
}

/** F = L + .5 a: L is the score as a share of the best one's, `a` what the nearest neighbours among the best have of it. */
function regularise(ranked: readonly Ranked[]): Candidate[] {
  const best = ranked[0]?.score ?? 1
  const shares = ranked.map((unit) => ({ ...unit, score: unit.score / best }))
  const head = shares.slice(0, compared)
  if (head.length < fewestCompared) return shares
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

async function measure(
  desk: Desk,
  terms: readonly Term[],
): Promise<{ statistics: Statistics; weighed: readonly Weighed[] }> {
  const everything: Question = { ...countOf(''), facets: ['length_class'] }
  const [all, ...held] = await desk.each([everything, ...terms.map(({ q }) => countOf(q))])
  const statistics = terms.some(({ kind }) => kind === 'stop')
    ? { units: all?.count ?? 0, averageLength: 1 }
    : lengthStatistics(all?.lengthClasses ?? {})
  return { statistics, weighed: terms.map((term, i) => weigh(term, held[i]?.count ?? 0, statistics)) }
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

/** In the order in which they came. */
function mostTelling(terms: readonly Weighed[]): Weighed[] {
  const most = (kind: Term['kind']) =>
    terms
      .filter((term) => term.kind === kind)
      .sort((a, b) => Number(b.holding > 0) - Number(a.holding > 0) || b.worth - a.worth || (a.q < b.q ? -1 : 1))
      .slice(0, mostTerms)
  const kept = new Set([...most('word'), ...most('stop'), ...most('pair')])
  return terms.filter((term) => kept.has(term))
}

/** How often each candidate says what. */
async function count(
  desk: Desk,
  terms: readonly Weighed[],
  candidates: readonly Found[],
): Promise<(Matched & Pick<Ranked, 'bag'>)[]> {
  if (candidates.length === 0) return []
  const which = terms.map(({ q }): Question => ({ q, matchingStrategy: 'all', limit: candidates.length }))
  const results = await desk.each(
    which,
    candidates.map(({ id }) => id),
  )
  const holding = results.map(({ ids }) => new Set(ids))
  return candidates.map(({ id, unit_id: unitId, length, bag: written }) => {
    const bag = readBag(written)
    const held = terms.filter((_, i) => holding[i]?.has(id))
    return { unitId, length, bag, counts: new Map(held.map((term) => [term, bag.get(term.q) ?? 1])) }
  })
}
