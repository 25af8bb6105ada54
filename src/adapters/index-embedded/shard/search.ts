import type { Candidate, IndexFilter } from '../../../ports/index-filter.ts'
import type { TextQuery } from '../../../ports/text-index.ts'
import type { VectorQuery } from '../../../ports/vector-index.ts'
import { headLength, rankText, type TextScratch } from '../text/rank-text.ts'
import { type RankedRow, TopRows } from '../top-rows.ts'
import type { Matrix } from '../vectors/matrix.ts'
import type { Shard } from './shard.ts'
import type { Slots } from './visible.ts'
import type { VisibleCache } from './visible-cache.ts'

/** What a thread that searches works with. */
export interface Desk {
  thread: number
  text: TextScratch
  visible: VisibleCache
}

/** Where a search sees no more rows than this, it is exact even when a rough one is asked for. */
const fewRows = 20_000
/** A rough search compares as many times `limit` vectors. */
const likelyPerFound = 5

export function searchText(
  shard: Shard,
  { text, topK, rough = false }: TextQuery,
  filter: IndexFilter,
  limit: number,
  desk: Desk,
): Candidate[] {
  const visible = desk.visible.of(shard, filter)
  if (text.trim() !== '') {
    const care = rough && visible.rows.length > fewRows ? 'words' : topK > headLength ? 'tail' : 'head'
    return candidates(shard, rankText(shard, visible, desk.text, { query: text, limit, care }))
  }
  const best = new TopRows(shard, limit)
  for (const row of visible.rows) best.offer(row, 0)
  return candidates(shard, best.ranked())
}

export function searchVectors(
  shard: Shard,
  { plane, model, vector, rough = false }: VectorQuery,
  filter: IndexFilter,
  limit: number,
  { thread, visible }: Desk,
): Candidate[] {
  const number = shard.matrixOf(plane, model)
  const matrix = shard.matrices[number]
  if (matrix === undefined) return []
  const compared = visible.of(shard, filter).slots(number)
  const chosen =
    rough && compared.rows.length > fewRows
      ? likely(compared, matrix, thread, vector, likelyPerFound * limit)
      : compared
  const best = new TopRows(shard, limit)
  const cosines = matrix.cosines(thread, vector, chosen.slots)
  for (const [i, row] of chosen.rows.entries()) best.offer(row, cosines[i] ?? 0)
  return candidates(shard, best.ranked())
}

function likely({ rows, slots }: Slots, matrix: Matrix, thread: number, query: Float32Array, limit: number): Slots {
  const places = matrix.likelyNearest(thread, query, slots, limit)
  return { rows: places.map((place) => rows[place] ?? 0), slots: places.map((place) => slots[place] ?? 0) }
}

const candidates = (shard: Shard, ranked: readonly RankedRow[]): Candidate[] =>
  ranked.map(({ row, score }) => ({ unitId: shard.unitId(row), score }))
