import { planes } from '../../../model/unit.ts'
import type { PlaneContent } from '../../../ports/indexes/index-filter.ts'
import type { Shard } from './shard.ts'

const known = new WeakMap<Shard, { changes: number; content: PlaneContent[] }>()

/**
 * Living Units and bytes of a shard, by the number of the plane. Vectors are of one plane; columns are shared, so each
 * plane has the share of its Units. Counted again only after a change.
 */
export function contentOf(shard: Shard): readonly PlaneContent[] {
  const before = known.get(shard)
  if (before?.changes === shard.changes) return before.content
  const units = planes.map(() => 0)
  let living = 0
  for (let unit = 0; unit < shard.unitIds.size; unit++) {
    const row = (shard.rowOf.array[unit] ?? 0) - 1
    if (row < 0) continue
    const plane = shard.rows.plane.array[row] ?? 0
    units[plane] = (units[plane] ?? 0) + 1
    living += 1
  }
  const content = planes.map((plane, i): PlaneContent => {
    const vectors = shard.matrices.filter(({ state }) => state.plane === plane)
    const own = units[i] ?? 0
    const shared = living === 0 ? 0 : (shard.store.bytes * own) / living
    return { units: own, bytes: Math.round(shared + vectors.reduce((sum, { bytes }) => sum + bytes, 0)) }
  })
  known.set(shard, { changes: shard.changes, content })
  return content
}
