import { mayRead } from '../../../model/acl.ts'
import { planes } from '../../../model/unit.ts'
import type { IndexFilter } from '../../../ports/index-filter.ts'
import { rowFilter } from './row-filter.ts'
import type { Shard } from './shard.ts'

/** The rows that a search may see: ascending, and by row number as 1. */
export interface Visible {
  rows: Uint32Array
  flags: Uint8Array
}

/** One pass over the columns: alive, in an open scope of an open plane, readable, and let through by every filter. */
export function visibleRows(shard: Shard, filter: IndexFilter): Visible {
  const count = shard.rowCount
  const flags = new Uint8Array(count)
  const rows = new Uint32Array(count)
  const { deadAt, plane, scope, acl } = shard.rows
  const [deadAts, planesOf, scopesOf, acls] = [deadAt.array, plane.array, scope.array, acl.array]
  const open = openScopes(shard, filter)
  const readable = readableAcls(shard, filter)
  const passes = rowFilter(shard, filter.filters)
  let found = 0
  for (let row = 0; row < count; row++) {
    const died = deadAts[row] ?? 0
    if (died !== 0 && died <= count) continue
    if (open[(scopesOf[row] ?? 0) * planes.length + (planesOf[row] ?? 0)] !== 1) continue
    if (!readable(acls[row] ?? 0)) continue
    if (passes !== null && !passes(row)) continue
    flags[row] = 1
    rows[found++] = row
  }
  return { rows: rows.subarray(0, found), flags }
}

/** By scope and plane, 1 where the filter opens it. */
function openScopes(shard: Shard, { scopeIds }: IndexFilter): Uint8Array {
  const open = new Uint8Array(shard.scopes.size * planes.length)
  for (const [plane, ids] of scopeIds) {
    for (const id of ids) {
      const scope = shard.scopes.find(id)
      if (scope >= 0) open[scope * planes.length + planes.indexOf(plane)] = 1
    }
  }
  return open
}

/** Decides each ACL once, when a row first asks: the reader's right, and the filter on owners. */
function readableAcls(shard: Shard, { reader, filters }: IndexFilter): (acl: number) => boolean {
  if (reader === 'unlimited' && filters.aclOwner === undefined) return () => true
  const decided = new Uint8Array(shard.acls.size)
  return (acl) => {
    if (decided[acl] === 0) {
      const [owner = '', ...groups]: string[] = JSON.parse(shard.acls.text(acl))
      const wanted = filters.aclOwner?.includes(owner) !== false
      decided[acl] = wanted && mayRead(reader, { owner, groups }) ? 1 : 2
    }
    return decided[acl] === 1
  }
}
