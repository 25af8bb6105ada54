import { type QueryTerms, queryTerms } from '../analysis/query-terms.ts'
import type { Shard } from '../shard/shard.ts'
import type { Visible } from '../shard/visible.ts'
import { type Comparison, ComparisonScratch, compareRows } from './compare-rows.ts'
import { PostingScratch } from './count-by-postings.ts'
import { RowScratch } from './count-by-rows.ts'
import { feedbackTerms } from './feedback.ts'
import { confidenceOf } from './leg-scores.ts'
import { scoreLegs, termCounter } from './legs.ts'
import { neighbourScores } from './neighbours.ts'
import { RowScores } from './row-scores.ts'
import { scorePassages } from './score-passages.ts'
import { scoreTerms } from './score-terms.ts'
import { type BreakTies, type RankedRow, TopRows } from './top-rows.ts'

/** Working memory of one thread. */
export class TextScratch {
  readonly postings = new PostingScratch()
  readonly rows = new RowScratch()
  readonly comparison = new ComparisonScratch()
  readonly legs = new RowScores()
  readonly expansion = new RowScores()
}

export interface TextRequest {
  query: string
  /** Of the query; null if it is not given. */
  language: string | null
  limit: number
  /** `words`: only the first leg. `head`: the first two stages. `tail`: also the third, for ranks beyond the head. */
  care: 'words' | 'head' | 'tail'
}

/** A running search. */
interface Ranking {
  shard: Shard
  visible: Visible
  scratch: TextScratch
  breakTies: BreakTies
  /** How many rows each stage returns. */
  depth: number
  /** Tokens of the best passage, by long row: long rows are compared by it. */
  passages: ReadonlyMap<number, Uint32Array>
}

/** Rows after a stage, best first, and its data about its candidates, by their rank before it. */
interface Stage {
  ranked: readonly RankedRow[]
  comparison: Comparison
  scores: Float64Array
}

/** How many candidates the second and third stage compare. */
const compared = 200
const minCompared = 3
export const headLength = 10
const neighbourWeight = 0.5
const feedbackWeight = 0.8
/** The tail begins slightly below the end of the head; otherwise a tie would mix them. */
const tailCeiling = 0.99

/**
 * The visible rows that share a word or a character n-gram with the query, best first, in three stages: legs,
 * neighbours and, for ranks beyond the head, feedback. Every statistic counts only visible rows. Scores are 0..1: the
 * best row's score says how well it matches, the others are in proportion. A long row stands for its best passage.
 */
export function rankText(shard: Shard, visible: Visible, scratch: TextScratch, request: TextRequest): RankedRow[] {
  const breakTies = (a: number, b: number) => shard.compareUnits(a, b)
  const depth = Math.max(request.limit, compared)
  const { legs } = scratch
  const query = queryTerms(request.query, { query: request.language, texts: shard.text.languages.all() })
  const asked = request.care === 'words' ? wordsOf(query) : query
  const found = scoreLegs(shard.text, visible, asked, scratch, depth)
  const ranking: Ranking = { shard, visible, scratch, breakTies, depth, passages: new Map() }
  if (legs.best === 0)
    return request.care === 'words' ? rankText(shard, visible, scratch, { ...request, care: 'head' }) : []
  if (request.care === 'words') {
    // Where many rows match equally, the order does not matter for a count.
    const roughly = bestRows(
      { ...ranking, breakTies: (a, b) => a - b },
      [found.rows],
      (row) => legs.of(row) / legs.best,
    )
    return scaled(roughly, confidenceOf(found.byWords.all, legs.best, found), request.limit)
  }
  const passages = scorePassages(shard.text, visible, found, scratch, depth)
  const careful = { ...ranking, passages: passages.tokens }
  const best = legs.best
  const first = bestRows(careful, [found.rows], (row) => legs.of(row) / best)
  const second = regularise(careful, first)
  const ranked = request.care === 'tail' ? replaceTail(careful, second) : second.ranked
  const confidence = confidenceOf(Math.max(found.byWords.short, passages.byWords), best, found)
  return scaled(ranked, confidence, request.limit)
}

/** In proportion to the best row, whose score is how well it matches. */
function scaled(ranked: readonly RankedRow[], confidence: number, limit: number): RankedRow[] {
  const max = ranked[0]?.score ?? 1
  return ranked.slice(0, limit).map(({ row, score }) => ({ row, score: (confidence * score) / max }))
}

const wordsOf = (query: QueryTerms): QueryTerms => ({ ...query, bigrams: [], charGrams: new Map() })

/** F = L + .5 a, where `a` is the score of each row's nearest neighbours among the candidates. */
function regularise(
  { shard: { text }, scratch, breakTies, passages }: Ranking,
  candidates: readonly RankedRow[],
): Stage {
  const head = candidates.slice(0, compared)
  const comparison = compareRows(
    text,
    head.map(({ row }) => passages.get(row) ?? text.row(row)),
    scratch.comparison,
  )
  const scores = Float64Array.from(head, ({ score }) => score)
  if (head.length >= minCompared) {
    const near = neighbourScores(comparison, scores, scratch.comparison)
    for (const [i, score] of near.entries()) scores[i] = (scores[i] ?? 0) + neighbourWeight * score
  }
  const ranked = new TopRows(head.length, breakTies)
  for (const [i, { row }] of head.entries()) ranked.offer(row, scores[i] ?? 0)
  return { ranked: [...ranked.ranked(), ...candidates.slice(compared)], comparison, scores }
}

/** L2 = L + .8 E/max E over all rows, regularised as G; the head stays, the rest follows in the order of G. */
function replaceTail(ranking: Ranking, second: Stage): readonly RankedRow[] {
  const { legs, expansion } = ranking.scratch
  const bestExpansion = scoreFeedback(ranking, second)
  if (bestExpansion === 0) return second.ranked
  const best = legs.best
  const added = expansion.rows.filter((row) => legs.of(row) === 0)
  const blended = bestRows(
    ranking,
    [legs.rows, added],
    (row) => legs.of(row) / best + (feedbackWeight * expansion.of(row)) / bestExpansion,
  )
  const max = blended[0]?.score ?? 1
  const third = regularise(
    ranking,
    blended.map(({ row, score }) => ({ row, score: score / max })),
  )
  const head = second.ranked.slice(0, headLength)
  const heads = new Set(head.map(({ row }) => row))
  const tail = third.ranked.filter(({ row }) => !heads.has(row))
  const [lowest, highest] = [head.at(-1)?.score ?? 0, tail[0]?.score ?? 1]
  return [...head, ...tail.map(({ row, score }) => ({ row, score: tailCeiling * lowest * (score / highest) }))]
}

/** E: the BM25 of the best candidates' heaviest terms, over all visible rows. Returns the highest. */
function scoreFeedback({ shard: { text, rowCount }, visible, scratch }: Ranking, second: Stage): number {
  const { expansion } = scratch
  expansion.reset(rowCount)
  const field = visible.field('word')
  const terms = [...feedbackTerms(second.comparison, second.scores)].map(([stem, weight]) => ({
    name: text.stems.text(stem),
    words: text.stemWords.numbers(stem),
    pair: null,
    field,
    weight,
  }))
  scoreTerms(terms, termCounter(text, visible, scratch, terms), expansion)
  return expansion.best
}

function bestRows(
  { depth, breakTies }: Ranking,
  groups: readonly Uint32Array[],
  scoreOf: (row: number) => number,
): readonly RankedRow[] {
  const best = new TopRows(depth, breakTies)
  for (const rows of groups) {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] ?? 0
      best.offer(row, scoreOf(row))
    }
  }
  return best.ranked()
}
