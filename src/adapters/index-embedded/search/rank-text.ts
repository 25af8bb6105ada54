import type { Sought } from '../../../ports/indexes/text-index.ts'
import { type QueryTerms, queryTerms } from '../analysis/query-terms.ts'
import type { Shard } from '../shard/shard.ts'
import type { Visible } from '../shard/visible.ts'
import { type Pieces, piecesOf, type TextColumns } from '../text/text-columns.ts'
import { type Comparison, ComparisonScratch, compareRows, feedbackTerms, neighbourScores } from './compare-rows.ts'
import { type LegScores, LegScratch, letterConfidence, scoreLegs, termCounter, wordConfidence } from './legs.ts'
import { type Passages, scorePassages } from './score-passages.ts'
import { RowScores, scoreTerms } from './score-terms.ts'
import { type BreakTies, bestOf, nothing, type Ranked, TopRows } from './top-rows.ts'

/** Working memory of one thread. */
export class TextScratch extends LegScratch {
  readonly comparison = new ComparisonScratch()
  readonly expansion = new RowScores()
}

export interface TextRequest {
  sought: Sought
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
  /** The best passage, by long row: long rows are compared by it. */
  passages: Passages['best']
}

/** Rows after a stage, best first, and its data about its candidates, by their rank before it. */
interface Stage {
  ranked: Ranked
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
export function rankText(shard: Shard, visible: Visible, scratch: TextScratch, request: TextRequest): Ranked {
  const breakTies = shard.compareUnits
  const depth = Math.max(request.limit, compared)
  const { legs, lists } = scratch
  lists.reset()
  const languages = { query: request.language, texts: shard.text.languages.all() }
  const query = queryTerms(request.sought, languages)
  const ranking: Ranking = { shard, visible, scratch, breakTies, depth, passages: new Map() }
  if (request.care === 'words') {
    const roughly = rankByWords(ranking, { ...query, bigrams: [], charGrams: new Map() }, request.limit)
    return roughly ?? rankText(shard, visible, scratch, { ...request, care: 'head' })
  }
  const found = scoreLegs(shard.text, visible, query, scratch, depth)
  if (legs.best === 0) return nothing
  const passages = scorePassages(shard.text, visible, found, scratch, depth)
  const careful = { ...ranking, passages: passages.best }
  const best = legs.best
  const isLikely = found.rows.length < legs.rows.length || found.rows.length < 2 * depth
  // Slightly below: rounding must not leave one out.
  const rows = isLikely ? found.rows : legs.rowsFrom(legs.atRank(depth) * (1 - 1e-9))
  const first = bestOf(depth, rows, (row) => legs.of(row) / best, breakTies)
  const second = regularise(careful, first)
  const ranked = request.care === 'tail' ? replaceTail(careful, second) : second.ranked
  const byWords = Math.max(found.byWords.short, passages.byWords)
  return scaled(careful, asTypedFirst(careful, ranked, found, query.stops), found, byWords, request.limit)
}

/** Of rows with every word as it is typed, the lowest score beside the highest. */
const lowestAsTyped = 0.5

/**
 * Rows with every word of the query as it is typed, and not in another form, before all others; among them those that have its stop words,
 * too. People who type words of a text look for that text, and longer texts often have more forms of them.
 */
function asTypedFirst(ranking: Ranking, ranked: Ranked, found: LegScores, stops: QueryTerms['stops']): Ranked {
  if (found.shares === null) return ranked
  const { shard, scratch, passages } = ranking
  const { text } = shard
  const places: Set<number>[] = []
  for (const { place, typed = [] } of found.terms.slice(0, found.wordCount)) {
    if (place === undefined || (found.shares[place] ?? 0) === 0) continue
    const tokens = places[place] ?? new Set()
    for (const word of typed) tokens.add(word + 1)
    places[place] = tokens
  }
  const isOne = places.filter(Boolean).length < 2
  if (isOne && stops.length === 0) return ranked
  const all = places.reduce((bits, _, place) => bits | (1 << place), 0)
  const common = stops.map((keys) => keys.map((key) => text.words.find(key) + 1).filter((token) => token > 0))
  const { rows, scores } = ranked
  const order = Array.from(rows, (row) => {
    if (((scratch.legs.masks[row] ?? 0) & all) !== all) return 2
    const passage = passages.get(row)
    const tokens = passage ? text.tokens.array.subarray(passage.start, passage.end) : text.row(row)
    if (!places.every((some) => tokens.some((token) => some.has(token)))) return 2
    return common.every((some) => some.some((token) => tokens.includes(token))) ? 0 : isOne ? 2 : 1
  })
  // As for most queries, no row goes before others: nothing is copied.
  if (order.every((one) => one === order[0])) return ranked
  const withOrder = (wanted: number): Ranked => ({
    rows: rows.filter((_, i) => order[i] === wanted),
    scores: scores.filter((_, i) => order[i] === wanted),
  })
  const first = before(withOrder(0), withOrder(1))
  const best = first.scores[0] ?? 1
  if (first.rows.length < rows.length)
    first.scores = first.scores.map((score) => lowestAsTyped + ((1 - lowestAsTyped) * score) / best)
  return before(first, withOrder(2))
}

/** All of the first before all of the second, whose scores are lowered for that. */
function before(first: Ranked, second: Ranked): Ranked {
  if (first.rows.length === 0) return second
  const ceiling = (tailCeiling * (first.scores.at(-1) ?? 1)) / Math.max(first.scores[0] ?? 1, second.scores[0] ?? 1)
  return joined(first, { rows: second.rows, scores: second.scores.map((score) => ceiling * score) })
}

/**
 * Rows with a word of the query in proportion to the best of them, whose score is how well it matches. Those that share
 * only letters with the query are also in proportion to the best of theirs, so they rank by the lower of both.
 */
function scaled(
  { scratch: { legs }, breakTies }: Ranking,
  { rows, scores }: Ranked,
  found: LegScores,
  byWords: number,
  limit: number,
): Ranked {
  const isByLetters = (row: number) => legs.placeOf(row) >= found.rowsByWords
  const bestScore = (ofLetters: boolean) => scores[rows.findIndex((row) => isByLetters(row) === ofLetters)] ?? 1
  const bestLetters = legs.bestFrom(found.rowsByWords)
  const perLetters = letterConfidence(bestLetters, found) / bestScore(true)
  const perWords = byWords > 0 ? wordConfidence(byWords, found) / bestScore(false) : perLetters
  const perOf = (row: number) => (isByLetters(row) ? Math.min(perLetters, perWords) : perWords)
  const all = scores.map((score, i) => perOf(rows[i] ?? 0) * score)
  const follows = (score: number, i: number) => {
    const before = all[i - 1] ?? 0
    return score < before || (score === before && breakTies(rows[i - 1] ?? 0, rows[i] ?? 0) < 0)
  }
  if (all.every((score, i) => i === 0 || follows(score, i)))
    return { rows: rows.subarray(0, limit), scores: all.subarray(0, limit) }
  const ranked = new TopRows(limit, rows.length, breakTies)
  for (let i = 0; i < rows.length; i++) ranked.offer(rows[i] ?? 0, all[i] ?? 0)
  return ranked.ranked()
}

/** How much deeper a search by words looks where it may have missed a row. */
const deeper = 4

/**
 * The best rows by words alone; null without any. Where a row that is left out could come among them, because it holds more of the
 * words, it looks deeper, up to the depth of other searches.
 */
function rankByWords(ranking: Ranking, query: QueryTerms, limit: number): Ranked | null {
  const { shard, visible, scratch } = ranking
  const { legs } = scratch
  // Where many rows match equally, the order of many does not matter for a count.
  const breakTies = limit < compared ? ranking.breakTies : (a: number, b: number) => a - b
  for (let depth = limit; ; depth = Math.min(deeper * depth, ranking.depth)) {
    const found = scoreLegs(shard.text, visible, query, scratch, depth)
    if (legs.best === 0) return null
    const best = bestOf(limit, found.rows, (row) => legs.of(row) / legs.best, breakTies)
    const lowest = (best.scores[limit - 1] ?? 0) * legs.best
    if (depth === ranking.depth || lowest >= found.unseen)
      return scaled({ ...ranking, breakTies }, best, found, found.byWords.all, limit)
  }
}

/** F = L + .5 a, where `a` is the score of each row's nearest neighbours among the candidates. */
function regularise({ shard: { text }, scratch, breakTies, passages }: Ranking, candidates: Ranked): Stage {
  const rows = candidates.rows.subarray(0, compared)
  const comparison = compareRows(text, comparedPieces(text, rows, passages), scratch.comparison)
  const scores = candidates.scores.slice(0, compared)
  if (rows.length >= minCompared) {
    const near = neighbourScores(comparison, scores, scratch.comparison)
    for (let i = 0; i < scores.length; i++) scores[i] = (scores[i] ?? 0) + neighbourWeight * (near[i] ?? 0)
  }
  const ranked = new TopRows(rows.length, rows.length, breakTies)
  // About the worst first: a heap takes them without moving others.
  for (let i = rows.length - 1; i >= 0; i--) ranked.offer(rows[i] ?? 0, scores[i] ?? 0)
  const rest = { rows: candidates.rows.subarray(compared), scores: candidates.scores.subarray(compared) }
  return { ranked: joined(ranked.ranked(), rest), comparison, scores }
}

/** The tokens that rows are compared by: all, or those of the best passage. */
function comparedPieces(text: TextColumns, rows: Uint32Array, passages: Passages['best']): Pieces {
  const pieces = piecesOf(text, rows)
  if (passages.size === 0) return pieces
  for (let i = 0; i < rows.length; i++) {
    const passage = passages.get(rows[i] ?? 0)
    if (passage === undefined) continue
    pieces.starts[i] = passage.start
    pieces.ends[i] = passage.end
  }
  return pieces
}

function joined(first: Ranked, second: Ranked): Ranked {
  if (second.rows.length === 0) return first
  const length = first.rows.length + second.rows.length
  const all = { rows: new Uint32Array(length), scores: new Float64Array(length) }
  all.rows.set(first.rows)
  all.rows.set(second.rows, first.rows.length)
  all.scores.set(first.scores)
  all.scores.set(second.scores, first.scores.length)
  return all
}

/** L2 = L + .8 E/max E, regularised as G; the head stays, the rest follows in the order of G. */
function replaceTail(ranking: Ranking, second: Stage): Ranked {
  const { legs, expansion } = ranking.scratch
  const bestExpansion = scoreFeedback(ranking, second)
  if (bestExpansion === 0) return second.ranked
  const best = legs.best
  // A row that only the feedback found shares nothing with the query.
  const scoreOf = (row: number) => legs.of(row) / best + (feedbackWeight * expansion.of(row)) / bestExpansion
  const blended = bestOf(ranking.depth, legs.rows, scoreOf, ranking.breakTies)
  const max = blended.scores[0] ?? 1
  const third = regularise(ranking, { rows: blended.rows, scores: blended.scores.map((score) => score / max) })
  const { ranked } = third
  const head = { rows: second.ranked.rows.slice(0, headLength), scores: second.ranked.scores.slice(0, headLength) }
  const isTail = (_: number, i: number) => !head.rows.includes(ranked.rows[i] ?? 0)
  const tail = { rows: ranked.rows.filter(isTail), scores: ranked.scores.filter(isTail) }
  const [lowest, highest] = [head.scores.at(-1) ?? 0, tail.scores[0] ?? 1]
  return joined(head, { rows: tail.rows, scores: tail.scores.map((score) => tailCeiling * lowest * (score / highest)) })
}

/** E: the BM25 of the best candidates' heaviest terms, over all visible rows. Returns the highest. */
function scoreFeedback({ shard: { text, rowCount }, visible, scratch }: Ranking, second: Stage): number {
  const { expansion } = scratch
  expansion.reset(rowCount)
  const field = visible.field('word')
  const terms = [...feedbackTerms(second.comparison, second.scores)].map(([stem, weight]) => ({
    name: text.stems.text(stem),
    words: scratch.lists.of(text.stemWords, [stem]),
    pair: null,
    field,
    weight,
  }))
  scoreTerms(terms, termCounter(text, visible, scratch, terms), expansion)
  return expansion.best
}
