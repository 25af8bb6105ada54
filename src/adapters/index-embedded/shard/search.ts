import type { Candidate, IndexFilter } from '../../../ports/index-filter.ts'
import type { TextQuery } from '../../../ports/text-index.ts'
import type { VectorQuery } from '../../../ports/vector-index.ts'
import { rankText, type TextScratch } from '../text/rank-text.ts'
import { type RankedRow, TopRows } from '../top-rows.ts'
import type { Shard } from './shard.ts'
import { visibleRows } from './visible.ts'

/** Ranks from here on are the tail. */
const headLength = 10

export function searchText(
  shard: Shard,
  { text, topK }: TextQuery,
  filter: IndexFilter,
  limit: number,
  scratch: TextScratch,
): Candidate[] {
  const visible = visibleRows(shard, filter)
  if (text.trim() !== '') {
    return candidates(shard, rankText(shard, visible, scratch, { query: text, limit, tail: topK > headLength }))
  }
  const best = new TopRows(shard, limit)
  for (const row of visible.rows) best.offer(row, 0)
  return candidates(shard, best.ranked())
}

export function searchVectors(
  shard: Shard,
  { plane, model, vector }: VectorQuery,
  filter: IndexFilter,
  limit: number,
  thread: number,
): Candidate[] {
  const number = shard.matrixOf(plane, model)
  const matrix = shard.matrices[number]
  if (matrix === undefined) return []
  const { rows } = visibleRows(shard, filter)
  const [matrixOf, slotOf] = [shard.rows.matrix.array, shard.rows.slot.array]
  const compared = new Uint32Array(rows.length)
  const slots = new Uint32Array(rows.length)
  let count = 0
  for (const row of rows) {
    if (matrixOf[row] !== number + 1) continue
    compared[count] = row
    slots[count++] = slotOf[row] ?? 0
  }
  const best = new TopRows(shard, limit)
  const cosines = matrix.cosines(thread, vector, slots.subarray(0, count))
  for (let i = 0; i < count; i++) best.offer(compared[i] ?? 0, cosines[i] ?? 0)
  return candidates(shard, best.ranked())
}

const candidates = (shard: Shard, ranked: readonly RankedRow[]): Candidate[] =>
  ranked.map(({ row, score }) => ({ unitId: shard.unitId(row), score }))
