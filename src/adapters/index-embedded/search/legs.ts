import type { QueryTerms } from '../analysis/query-terms.ts'
import { WordLists } from '../memory/lists.ts'
import type { Visible } from '../shard/visible.ts'
import { isLong, type TextColumns } from '../text/text-columns.ts'
import { countByPlaces } from './count-by-places.ts'
import { CountScratch, countByPostings } from './count-by-postings.ts'
import { countByRows, RowScratch } from './count-by-rows.ts'
import { type CountTerms, type QueryLegs, queryLegs, type Term } from './query-legs.ts'
import { RowScores, scoreTerms } from './score-terms.ts'
import { sampleHolding, type Weighed, weigh } from './weigh-terms.ts'

/** A match of letters only says little about what a text is about. */
const charConfidence = 0.3

/** What the first stage found; its scores are in `scratch.legs`. */
export interface LegScores {
  /** They hold the best `depth`. */
  rows: Uint32Array
  /** No row that is left out has a higher score by words. */
  unseen: number
  /** The rows of the scores from this place on share letters with the query, and no word. */
  rowsByWords: number
  /** Words first. */
  terms: readonly Term[]
  wordCount: number
  /** By term, how many visible rows hold it. */
  holding: readonly number[]
  /** The highest score by words alone: of all rows, and of those that are not long. */
  byWords: { all: number; short: number }
  /**
   * By place of a word, what it weighs, where a row holds them all: then others count by the share that they hold. A text that
   * repeats one word does not rank before one that has every word.
   */
  shares: readonly number[] | null
  /** The scores of a row of average length that contains each word, or n-gram, as often as the query does. */
  full: { words: number; charGrams: number }
}

/**
 * How well the best row with a word of the query matches, 0..1: the score of its words as a share of the score of a row
 * of average length that contains each word of the query as often as the query does.
 */
export const wordConfidence = (byWords: number, { full }: LegScores): number => Math.min(1, byWords / (full.words || 1))

/** The same by n-grams, of the best row without words of the query. */
export const letterConfidence = (byLetters: number, { full }: LegScores): number =>
  charConfidence * Math.min(1, byLetters / (full.charGrams || 1))

/** The highest of these scores: of all rows, and of those that are not long. */
function bestByWords(text: TextColumns, { long }: Visible, scores: RowScores): LegScores['byWords'] {
  const all = scores.best
  if (long.length === 0) return { all, short: all }
  const short = scores.rows.reduce((best, row) => (isLong(text, row) ? best : Math.max(best, scores.of(row))), 0)
  return { all, short }
}

/** Lets rows count by their share of the words, if one has them all. `averages`: by word, the score of a row of average length. */
function weighShares(words: readonly Term[], averages: readonly number[], held: readonly number[], scores: RowScores) {
  const shares: number[] = []
  for (const [i, { place }] of words.entries()) {
    if (place === undefined || (held[i] ?? 0) === 0) continue
    shares[place] = Math.max(shares[place] ?? 0, averages[i] ?? 0)
  }
  const places = [...shares.keys()].filter((place) => (shares[place] ?? 0) > 0)
  const mask = places.reduce((bits, place) => bits | (1 << place), 0)
  if (places.length === 0 || !scores.covers(mask)) return null
  const weights = Array.from(shares, (weight = 0) => weight)
  if (places.length > 1) scores.multiplyByShare(weights)
  return weights
}

/**
 * Up to this number of rows, reading all their words is faster than walking the postings of common words. If more are
 * visible, only the likely best are scored completely.
 */
const fewRows = 5000

/** The same for many terms, whose postings name most rows several times. Limits the memory for their counts. */
const fewRowsOfManyTerms = 30_000
const manyTerms = 16

export function termCounter(
  text: TextColumns,
  visible: Visible,
  { counts, rows }: LegScratch,
  terms: readonly Term[],
): CountTerms {
  const sorted = visible.places()
  if (sorted !== null) return countByPlaces(text, sorted, counts)
  const few = terms.length < manyTerms ? fewRows : fewRowsOfManyTerms
  return visible.rows.length <= few ? countByRows(text, visible.rows, rows) : countByPostings(text, visible, counts)
}

/**
 * The first stage: adds BM(word) + .4 BM(bigram) + .2 BM(char4) into `scratch.legs`. Long rows get what an average
 * passage of theirs would get with all their terms, which no passage exceeds by much: `scorePassages` corrects it.
 *
 * @param depth how many rows the stage returns
 */
export function scoreLegs(
  text: TextColumns,
  visible: Visible,
  query: QueryTerms,
  scratch: LegScratch,
  depth: number,
): LegScores {
  const { legs: scores } = scratch
  const legs = queryLegs(text, visible, query, scratch.lists)
  scores.reset(visible.flags.length)
  if (visible.rows.length > fewRows) {
    const likely = scoreLikely(text, visible, legs, scratch, depth)
    if (likely) return likely
    scores.reset(visible.flags.length)
  }
  const { words, bigrams, charGrams } = legs
  const full = { words: 0, charGrams: 0 }
  const [holding, averages]: [number[], number[]] = [[], []]
  let byWords = { all: 0, short: 0 }
  let rowsByWords = 0
  const terms = [...words, ...bigrams, ...charGrams]
  scoreTerms(terms, termCounter(text, visible, scratch, terms), scores, {
    holding: (_, length) => {
      holding.push(length)
      return length
    },
    after: (term, score) => {
      averages.push(score)
      if (term < words.length) full.words += words[term]?.optional ? 0 : score
      else if (term >= words.length + bigrams.length) full.charGrams += score
      if (term !== words.length - 1) return
      byWords = bestByWords(text, visible, scores)
      // Rows are in the order of their first score, and words come first.
      rowsByWords = scores.rows.length
    },
  })
  const shares = weighShares(words, averages, holding, scores)
  return { rows: scores.rows, unseen: 0, rowsByWords, terms, wordCount: words.length, holding, byWords, shares, full }
}

/** Pairs and n-grams are scored in this many times the rows that the stage returns. */
const likelyPerFound = 5
/** Walking the postings of a word in fewer rows is faster than looking for the word in the likely rows. */
const commonFrom = 1000
/** Reading this number of words takes as long as visiting a posting. */
const wordsPerPosting = 2

/** Working memory of one thread. */
export class LegScratch {
  readonly lists = new WordLists()
  readonly counts = new CountScratch()
  readonly rows = new RowScratch()
  readonly legs = new RowScores()
}

/**
 * The first stage where many rows are visible. The rarest words find the rows, until those without any of them cannot
 * be among the best `depth` by words (MaxScore, Turtle & Flood 1995). Common words, pairs and n-grams then count for the
 * likely best rows only. How many visible rows hold a pair or an n-gram is estimated from a sample of the visible rows.
 *
 * @returns null if too few rows hold a word: then nothing in `scratch.legs` is of use
 */
function scoreLikely(
  text: TextColumns,
  visible: Visible,
  { words, bigrams, charGrams }: QueryLegs,
  scratch: LegScratch,
  depth: number,
): LegScores | null {
  const scores = scratch.legs
  const sorted = visible.places()
  const count =
    sorted === null ? countByPostings(text, visible, scratch.counts) : countByPlaces(text, sorted, scratch.counts)
  const weighed = words.map((term) => weigh(term, count))
  const { left, lowest, missing } = walk(weighed, count, scores, depth)
  if (scores.rows.length < depth) return null
  const others = [...bigrams, ...charGrams]
  // Rows may still gain scores: by words exactly, by pairs and n-grams a few ranks.
  const margin = others.length > 0 ? likelyPerFound : 1
  const lowestKept = Math.min(scores.atRank(margin * depth), lowest - missing)
  const rows = scores.rowsFrom(lowestKept)
  const terms = [...words, ...others]
  const open = weighed.filter((word) => left.includes(word))
  const chosen = [...open.map(({ term }) => term), ...others]
  const sampled = sampleHolding(visible.sample, others, (visit) =>
    termCounter(text, visible.sample, scratch, terms)(terms, visit),
  )
  const known = [...open.map(({ holding }) => holding), ...sampled]
  let byWords = bestByWords(text, visible, scores)
  if (chosen.length > 0) {
    const postings = open.reduce((sum, { holding }) => sum + holding, 0)
    const toRead = (rows.length * text.tokens.length) / text.tokenEnds.length
    const byPostings = others.length === 0 && wordsPerPosting * postings < toRead
    const counted = byPostings ? inRows(count, scores, lowestKept) : countByRows(text, rows, scratch.rows)
    scoreTerms(chosen, counted, scores, {
      holding: (at, length) => {
        known[at] = Math.max(length, known[at] ?? 0)
        return known[at]
      },
      after: (at) => {
        if (at === open.length - 1) byWords = bestByWords(text, visible, scores)
      },
    })
  }
  const averages = weighed.map(({ average }) => average)
  const held = weighed.map(({ holding }) => holding)
  const shares = weighShares(words, averages, held, scores)
  return {
    rows,
    unseen: lowest,
    rowsByWords: scores.rows.length,
    terms,
    wordCount: words.length,
    holding: [...held, ...known.slice(open.length)],
    byWords,
    shares,
    full: { words: weighed.reduce((sum, { term, average }) => sum + (term.optional ? 0 : average), 0), charGrams: 0 },
  }
}

/** Adds the scores of words, those that can add most first; the common ones that are not needed are left. */
function walk(
  weighed: readonly Weighed[],
  count: CountTerms,
  scores: RowScores,
  depth: number,
): { left: Weighed[]; lowest: number; missing: number } {
  const left = weighed.toSorted((a, b) => b.highest - a.highest)
  let lowest = 0
  for (;;) {
    const missing = left.reduce((sum, { highest }) => sum + highest, 0)
    const [next] = left
    const enough = scores.rows.length >= depth && lowest > missing
    if (next === undefined || (enough && next.holding > commonFrom)) return { left, lowest, missing }
    scoreTerms([next.term], count, scores)
    lowest = scores.atRank(depth)
    left.shift()
  }
}

/** Counts the terms in rows that have at least a score. */
function inRows(count: CountTerms, scores: RowScores, lowest: number): CountTerms {
  let kept = { rows: new Uint32Array(0), counts: new Uint32Array(0) }
  return (terms, visit) =>
    count(terms, (term, { rows, counts, length }) => {
      if (kept.rows.length < length) kept = { rows: new Uint32Array(length), counts: new Uint32Array(length) }
      let found = 0
      for (let i = 0; i < length; i++) {
        const row = rows[i] ?? 0
        if (scores.of(row) < lowest) continue
        kept.rows[found] = row
        kept.counts[found++] = counts[i] ?? 0
      }
      visit(term, { ...kept, length: found })
    })
}
