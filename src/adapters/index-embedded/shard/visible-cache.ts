import type { IndexFilter } from '../../../ports/indexes/index-filter.ts'
import type { Shard } from './shard.ts'
import { Visible } from './visible.ts'

/** Cached filters per shard: for a few readers, each with the reader's visibility and, for counts, without it. */
const maxFilters = 8
/** Of all filters of a shard, beside those that the latest one sorts. Limits the memory: 6 bytes for each. */
const maxSortedTokens = 2 ** 21

/** The rows that each filter lets through, computed once for all its searches until the shard changes. */
export class VisibleCache {
  readonly #byShard = new WeakMap<Shard, { changes: number; byFilter: Map<string, Visible> }>()

  of(shard: Shard, filter: IndexFilter): Visible {
    const byFilter = this.#current(shard)
    const clauses = filter.clauses.map(({ reader, scopeIds }) => [reader, [...scopeIds]])
    const key = JSON.stringify([clauses, filter.filters])
    const visible = byFilter.get(key) ?? new Visible(shard, filter)
    // Moved to the end, so that the first one is the least recently used.
    byFilter.delete(key)
    byFilter.set(key, visible)
    const [oldest] = byFilter.keys()
    if (byFilter.size > maxFilters && oldest !== undefined) byFilter.delete(oldest)
    limitSorted([...byFilter.values()])
    return visible
  }

  #current(shard: Shard): Map<string, Visible> {
    const known = this.#byShard.get(shard)
    if (known?.changes === shard.changes) return known.byFilter
    const byFilter = new Map<string, Visible>()
    this.#byShard.set(shard, { changes: shard.changes, byFilter })
    return byFilter
  }
}

/** Forgets the sorted words of those that come first. */
function limitSorted(all: readonly Visible[]): void {
  let sorted = all.reduce((sum, { sortedTokens }) => sum + sortedTokens, 0)
  for (const visible of all) {
    if (sorted <= maxSortedTokens) return
    sorted -= visible.sortedTokens
    visible.forgetPlaces()
  }
}
