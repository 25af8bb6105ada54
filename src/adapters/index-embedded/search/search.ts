import type { IndexFilter } from '../../../ports/indexes/index-filter.ts'
import type { TextQuery } from '../../../ports/indexes/text-index.ts'
import type { VectorQuery } from '../../../ports/indexes/vector-index.ts'
import type { Sent } from '../shard/fields-of-units.ts'
import type { Shard } from '../shard/shard.ts'
import type { VisibleCache } from '../shard/visible.ts'
import { comparable, picked, possiblyNearest } from '../vectors/matrix.ts'
import { headLength, rankText, type TextScratch } from './rank-text.ts'
import { bestOf, nothing, type Ranked, TopRows } from './top-rows.ts'

/** The working data of a search thread. */
export interface SearchScratch {
  thread: number
  text: TextScratch
  visible: VisibleCache
}

/** Candidates in a form that is cheap to transfer. */
export interface Found extends Sent {
  scores: Float64Array
  /** From 1; null where none is left out. */
  ranks: Uint32Array | null
  /** By candidate, 1 where it is closed; null if that is not asked for. */
  closed: Uint8Array | null
}

/** What a query found, and the candidates at some of its places, or all. */
export interface Leg {
  ranked: Ranked
  found(places: Uint32Array | null): Found
}

/** A search over no more rows than this is exact even if a rough one is requested. */
const fewRows = 20_000
/** A rough search compares no fewer vectors: of 100,000, they hold nearly all of the ten nearest. */
const likelyCount = 500
/** And no fewer than this for each vector that it returns. */
const likelyPerFound = 5

export function searchText(
  shard: Shard,
  { language, topK, rough = false, closedTo, ...sought }: TextQuery,
  filter: IndexFilter,
  limit: number,
  scratch: SearchScratch,
): Leg {
  const visible = scratch.visible.of(shard, filter)
  const found = foundBy(shard, scratch.visible, filter, closedTo)
  if (sought.text.trim() !== '') {
    const care = rough && visible.rows.length > fewRows ? 'words' : topK > headLength ? 'tail' : 'head'
    return found(rankText(shard, visible, scratch.text, { sought, language: language ?? null, limit, care }))
  }
  return found(bestOf(limit, visible.rows, () => 0, shard.compareUnits))
}

export function searchVectors(
  shard: Shard,
  { plane, model, without = [], vector: asked, rough = false, closedTo }: VectorQuery,
  filter: IndexFilter,
  limit: number,
  { thread, visible }: SearchScratch,
): Leg {
  const number = shard.matrixOf(plane, model, asked.length)
  const matrix = shard.matrices[number]
  const found = foundBy(shard, visible, filter, closedTo)
  if (matrix === undefined) return found(nothing)
  const vector = comparable(asked)
  const compared = visible.of(shard, filter).slots(
    number,
    without.flatMap((other) => shard.matricesOf(plane, other)),
  )
  const isRough = rough && compared.rows.length > fewRows
  for (let wanted = Math.max(1, limit); ; wanted *= 2) {
    const places = isRough
      ? matrix.likelyNearest(thread, vector, compared.slots, Math.max(likelyCount, likelyPerFound * limit))
      : possiblyNearest(matrix, thread, vector, compared.slots, wanted)
    const chosen = (all: Uint32Array) => (places === null ? all : picked(all, places))
    const cosines = matrix.cosines(thread, vector, chosen(compared.slots))
    const best = bestRows(shard, chosen(compared.rows), cosines, limit)
    const isWhole = isRough || !compared.repeats || places === null
    // The `wanted` nearest vectors are among the chosen ones. Rows that are nearer than the last of them are complete.
    if (isWhole || (best.scores[limit - 1] ?? -2) >= (cosines.sort()[cosines.length - wanted] ?? -1)) return found(best)
  }
}

/** Each row once, by its nearest vector. The vectors of a row follow each other. */
function bestRows(shard: Shard, rows: Uint32Array, cosines: Float64Array, limit: number): Ranked {
  const best = new TopRows(limit, rows.length, shard.compareUnits)
  let highest = -1
  for (let i = 0; i < cosines.length; i++) {
    highest = Math.max(highest, cosines[i] ?? 0)
    if (rows[i] === rows[i + 1]) continue
    best.offer(rows[i] ?? 0, highest)
    highest = -1
  }
  return best.ranked()
}

/** @param closedTo says which candidates are closed: what they let through, whatever the filter, is not */
function foundBy(shard: Shard, visible: VisibleCache, filter: IndexFilter, closedTo?: IndexFilter['clauses']) {
  const open = closedTo && visible.of(shard, { namespaceId: filter.namespaceId, clauses: closedTo, filters: [] }).flags
  return (ranked: Ranked): Leg => ({
    ranked,
    found: (places) => {
      const rows = places === null ? ranked.rows : picked(ranked.rows, places)
      const units = rows.map((row) => shard.rows.unit.array[row] ?? 0)
      return {
        unitIds: shard.unitIds.joined(units),
        shardId: shard.id,
        units,
        scores: places === null ? ranked.scores : Float64Array.from(places, (place) => ranked.scores[place] ?? 0),
        ranks: places === null ? null : places.map((place) => place + 1),
        closed: open ? Uint8Array.from(rows, (row) => 1 - (open[row] ?? 0)) : null,
      }
    },
  })
}
