import { queryTerms } from '../analysis/query-terms.ts'
import type { Shard } from '../shard/shard.ts'
import type { Visible } from '../shard/visible.ts'
import { type RankedRow, TopRows } from '../top-rows.ts'
import { feedbackTerms } from './feedback.ts'
import { fieldOver } from './field.ts'
import { scoreLegs } from './legs.ts'
import { type Comparison, compareRows, neighbourScores } from './neighbours.ts'
import { RowScores } from './row-scores.ts'
import { TermScorer } from './term-scorer.ts'

/** Working memory of one thread. */
export class TextScratch {
  readonly scorer = new TermScorer()
  readonly legs = new RowScores()
  readonly expansion = new RowScores()
}

export interface TextRequest {
  query: string
  limit: number
  /** Whether more than the head is wanted: ranks beyond it are then found anew by feedback. */
  tail: boolean
}

/** How many candidates the second and third stage look at. */
const compared = 200
const fewestCompared = 3
const headLength = 10
const neighbourWeight = 0.5
const feedbackWeight = 0.8
/** The tail begins a little below the head's end, or a tie would mix them. */
const tailCeiling = 0.99

/** Rows after a stage, best first; and what it knows of its candidates, by their place before it. */
interface Stage {
  ranked: readonly RankedRow[]
  comparison: Comparison
  scores: Float64Array
}

/**
 * The visible rows that share a word or a character n-gram with the query, best first, in three stages: legs, neighbours
 * and, for ranks beyond the head, feedback. Every statistic counts visible rows only. Scores are 0..1: the best row's
 * says how well it matches, the others' are in proportion.
 */
export function rankText(shard: Shard, visible: Visible, scratch: TextScratch, request: TextRequest): RankedRow[] {
  const { legs, scorer } = scratch
  legs.reset(shard.rowCount)
  const confidence = scoreLegs({ text: shard.text, visible, scorer, scores: legs }, queryTerms(request.query))
  const best = legs.best
  if (best === 0) return []
  const depth = Math.max(request.limit, compared)
  const candidates = bestRows(shard, legs.rows, depth, (row) => legs.of(row) / best)
  const second = regularise(shard, candidates)
  const ranked = request.tail ? replaceTail(shard, visible, scratch, second, depth) : second.ranked
  const most = ranked[0]?.score ?? 1
  return ranked.slice(0, request.limit).map(({ row, score }) => ({ row, score: (confidence * score) / most }))
}

/** F = L + .5 a: `a` is what each row's nearest neighbours among the candidates score. */
function regularise(shard: Shard, candidates: readonly RankedRow[]): Stage {
  const head = candidates.slice(0, compared)
  const comparison = compareRows(
    shard.text,
    head.map(({ row }) => row),
  )
  const scores = Float64Array.from(head, ({ score }) => score)
  if (head.length >= fewestCompared) {
    const near = neighbourScores(comparison, scores)
    for (const [i, score] of near.entries()) scores[i] = (scores[i] ?? 0) + neighbourWeight * score
  }
  const ranked = new TopRows(shard, head.length)
  for (const [i, { row }] of head.entries()) ranked.offer(row, scores[i] ?? 0)
  return { ranked: [...ranked.ranked(), ...candidates.slice(compared)], comparison, scores }
}

/** L2 = L + .8 E/max E over all rows, regularised as G; the head stays, the rest follows it in the order of G. */
function replaceTail(
  shard: Shard,
  visible: Visible,
  scratch: TextScratch,
  second: Stage,
  depth: number,
): readonly RankedRow[] {
  const { legs, scorer, expansion } = scratch
  const { text } = shard
  expansion.reset(shard.rowCount)
  const words = fieldOver(visible, text.lengths.word.array)
  for (const [stem, weight] of feedbackTerms(second.comparison, second.scores)) {
    const stemWords = text.stemWords.values(stem).map((number) => number - 1)
    scorer.add(text, visible, stemWords, { field: words, weight, scores: expansion })
  }
  const [best, bestExpansion] = [legs.best, expansion.best]
  if (bestExpansion === 0) return second.ranked
  const found = new Set([...legs.rows, ...expansion.rows])
  const blended = bestRows(
    shard,
    found,
    depth,
    (row) => legs.of(row) / best + (feedbackWeight * expansion.of(row)) / bestExpansion,
  )
  const most = blended[0]?.score ?? 1
  const third = regularise(
    shard,
    blended.map(({ row, score }) => ({ row, score: score / most })),
  )
  const head = second.ranked.slice(0, headLength)
  const heads = new Set(head.map(({ row }) => row))
  const tail = third.ranked.filter(({ row }) => !heads.has(row))
  const [lowest, highest] = [head.at(-1)?.score ?? 0, tail[0]?.score ?? 1]
  return [...head, ...tail.map(({ row, score }) => ({ row, score: tailCeiling * lowest * (score / highest) }))]
}

function bestRows(
  shard: Shard,
  rows: Iterable<number>,
  limit: number,
  scoreOf: (row: number) => number,
): readonly RankedRow[] {
  const best = new TopRows(shard, limit)
  for (const row of rows) best.offer(row, scoreOf(row))
  return best.ranked()
}
