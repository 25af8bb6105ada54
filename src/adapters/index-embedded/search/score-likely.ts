import type { Visible } from '../shard/visible.ts'
import { type Field, fieldOver, inverseDocumentFrequency } from '../text/field.ts'
import type { TextColumns } from '../text/text-columns.ts'
import { countByPlaces, type PlaceScratch } from './count-by-places.ts'
import { countByPostings, type PostingScratch } from './count-by-postings.ts'
import { countByRows, type RowScratch } from './count-by-rows.ts'
import { bestByWords, type LegScores } from './leg-scores.ts'
import type { QueryLegs } from './query-legs.ts'
import type { RowScores } from './row-scores.ts'
import { highestGain, scoreTerms } from './score-terms.ts'
import type { CountTerms, Term } from './term.ts'
import type { WordLists } from './word-lists.ts'

/** Pairs and n-grams are scored in this many times the rows that the stage returns. */
const likelyPerFound = 5
/** Walking the postings of a word in fewer rows is faster than looking for the word in the likely rows. */
const commonFrom = 1000
/** Reading this number of words takes as long as visiting a posting. */
const wordsPerPosting = 2
const maxTerms = 10_000

/** Working memory of one thread. */
export interface LegScratch {
  lists: WordLists
  places: PlaceScratch
  postings: PostingScratch
  rows: RowScratch
  legs: RowScores
}

/** A word of the query, in how many visible rows it is, and its score there: on average, and at most. */
interface Weighed {
  term: Term
  holding: number
  average: number
  highest: number
}

/**
 * The first stage where many rows are visible. The rarest words find the rows, until those without any of them cannot
 * be among the best `depth` by words (MaxScore, Turtle & Flood 1995). Common words, pairs and n-grams then count for the
 * likely best rows only. How many visible rows hold a pair or an n-gram is estimated from a sample of the visible rows.
 *
 * @returns null if too few rows hold a word: then nothing in `scratch.legs` is of use
 */
export function scoreLikely(
  text: TextColumns,
  visible: Visible,
  { words, bigrams, charGrams }: QueryLegs,
  scratch: LegScratch,
  depth: number,
): LegScores | null {
  const scores = scratch.legs
  const sorted = visible.places()
  const count =
    sorted === null ? countByPostings(text, visible, scratch.postings) : countByPlaces(text, sorted, scratch.places)
  const weighed = words.map((term) => weigh(term, count))
  const { left, lowest, missing } = walk(weighed, count, scores, depth)
  if (scores.rows.length < depth) return null
  const others = [...bigrams, ...charGrams]
  // What rows may still gain: by words exactly, and by pairs and n-grams some ranks.
  const margin = others.length > 0 ? likelyPerFound : 1
  const lowestKept = Math.min(scores.atRank(margin * depth), lowest - missing)
  const rows = scores.rowsFrom(lowestKept)
  const terms = [...words, ...others]
  const open = weighed.filter((word) => left.includes(word))
  const chosen = [...open.map(({ term }) => term), ...others]
  const sampled = others.length > 0 ? sample(text, visible, terms, scratch).slice(words.length) : []
  const known = [...open.map(({ holding }) => holding), ...sampled]
  let byWords = bestByWords(text, visible, scores)
  if (chosen.length > 0) {
    const postings = open.reduce((sum, { holding }) => sum + holding, 0)
    const toRead = (rows.length * text.tokens.length) / text.tokenEnds.length
    const byPostings = others.length === 0 && wordsPerPosting * postings < toRead
    const counted = byPostings
      ? inRows(count, scores, lowestKept)
      : among(terms, countByRows(text, rows, scratch.rows), chosen)
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
  return {
    rows,
    byLetters: new Set(),
    terms,
    wordCount: words.length,
    holding: [...weighed.map(({ holding }) => holding), ...known.slice(open.length)],
    byWords,
    full: { words: weighed.reduce((sum, { average }) => sum + average, 0), charGrams: 0 },
  }
}

function weigh(term: Term, count: CountTerms): Weighed {
  const { name, field, weight } = term
  let holding = field.holding.get(name)
  if (holding === undefined) {
    let found = 0
    count([term], (_, { length }) => {
      found = length
    })
    if (field.holding.size >= maxTerms) field.holding.clear()
    field.holding.set(name, found)
    holding = found
  }
  const average = weight * inverseDocumentFrequency(field.rows, holding)
  return { term, holding, average, highest: holding === 0 ? 0 : average * highestGain }
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

/** Counts all terms, but visits only the chosen ones. */
function among(terms: readonly Term[], count: CountTerms, chosen: readonly Term[]): CountTerms {
  const wanted = new Set(chosen)
  return (_, visit) =>
    count(terms, (term, found) => {
      if (wanted.has(term)) visit(term, found)
    })
}

/** By term, about how many visible rows hold it. */
function sample(text: TextColumns, visible: Visible, terms: readonly Term[], { rows }: LegScratch): number[] {
  const perRow = new Map<Field, number>()
  for (const field of new Set(terms.map((term) => term.field))) {
    perRow.set(field, field.rows / Math.max(1, fieldOver(field.name, visible.sample, field.lengths).rows))
  }
  const holding: number[] = []
  countByRows(
    text,
    visible.sample,
    rows,
  )(terms, ({ field }, { length }) => {
    holding.push(length * (perRow.get(field) ?? 0))
  })
  return holding
}
