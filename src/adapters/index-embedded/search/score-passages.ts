import type { Visible } from '../shard/visible.ts'
import { isLong, type PassagePieces, passagesOf, type TextColumns } from '../text/text-columns.ts'
import { countByPieces } from './count-by-rows.ts'
import type { LegScores, LegScratch } from './legs.ts'
import { RowScores, scoreTerms } from './score-terms.ts'
import { TopRows } from './top-rows.ts'

/** Each round scores the long rows that took the places of those that fell. */
const maxRounds = 3
/** Limits the memory for the counts of passages. */
const maxTokens = 300_000

export interface Passages {
  /** The best passage, by long row: where its tokens are. */
  best: ReadonlyMap<number, { start: number; end: number }>
  /** The highest score of a passage by words alone. */
  byWords: number
}

/**
 * Gives each long row among the best `depth` the score of its best passage (MaxP: Dai & Callan 2019), in `scratch.legs`.
 * A passage counts as a row of its own length; the statistics are those of the visible rows.
 */
export function scorePassages(
  text: TextColumns,
  visible: Visible,
  found: LegScores,
  scratch: LegScratch,
  depth: number,
): Passages {
  const { legs } = scratch
  const passages = new Map<number, { start: number; end: number }>()
  let byWords = 0
  if (visible.long.length === 0) return { best: passages, byWords }
  for (let round = 0; round < maxRounds; round++) {
    const best = new TopRows(depth, found.rows.length, (a, b) => a - b)
    for (const row of found.rows) best.offer(row, legs.of(row))
    const open = Array.from(best.ranked().rows).filter((row) => isLong(text, row) && !passages.has(row))
    if (open.length === 0) break
    const highest = new Map<number, number>()
    for (const rows of batchesOf(text, open)) {
      const pieces = passagesOf(text, rows)
      const scores = scored(text, found, pieces, scratch)
      byWords = Math.max(byWords, scores.byWords)
      for (const [piece, row] of pieces.rows.entries()) {
        const score = scores.all.of(piece)
        if (score <= (highest.get(row) ?? -1)) continue
        highest.set(row, score)
        passages.set(row, { start: pieces.starts[piece] ?? 0, end: pieces.ends[piece] ?? 0 })
      }
    }
    legs.replace(highest)
  }
  return { best: passages, byWords }
}

/** Rows may have a megabyte of text each. */
function batchesOf(text: TextColumns, rows: readonly number[]): number[][] {
  const batches: number[][] = []
  let tokens = 0
  for (const row of rows) {
    const { length } = text.row(row)
    if (batches.length === 0 || tokens + length > maxTokens) {
      batches.push([])
      tokens = 0
    }
    batches.at(-1)?.push(row)
    tokens += length
  }
  return batches
}

/** The legs' scores of passages. */
function scored(
  text: TextColumns,
  { terms, wordCount, holding, shares }: LegScores,
  pieces: PassagePieces,
  { rows }: LegScratch,
): { all: RowScores; byWords: number } {
  const numbers = Uint32Array.from(pieces.rows.keys())
  const all = new RowScores()
  all.reset(numbers.length)
  let byWords = 0
  const own = terms.map((term) => ({ ...term, field: { ...term.field, lengths: pieces.lengths[term.field.name] } }))
  scoreTerms(own, countByPieces(text, numbers, pieces, rows, pieces.rows), all, {
    holding: (term) => holding[term] ?? 0,
    after: (term) => {
      if (term === wordCount - 1) byWords = all.best
    },
  })
  if (shares) all.multiplyByShare(shares)
  return { all, byWords }
}
