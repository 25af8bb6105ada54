import type { Candidate, IndexFilter } from '../../ports/index-filter.ts'
import type { VectorIndex, VectorQuery } from '../../ports/vector-index.ts'
import { TopK } from './top-k.ts'
import { UnitStore } from './unit-store.ts'
import { VectorShard } from './vector-shard.ts'

/**
 * Exact cosine similarity over the visible rows. A vector that is not finite, or whose length differs from what it is
 * compared with, is refused with a RangeError: the catalog fixes a model's dims, so neither can come from a caller.
 */
export class EmbeddedVectorIndex extends UnitStore<VectorShard> implements VectorIndex {
  constructor() {
    super(() => new VectorShard())
  }

  async search(query: VectorQuery, filter: IndexFilter, limit: number): Promise<Candidate[]> {
    const best = new TopK(limit)
    const scopeIds = filter.scopeIds.get(query.plane) ?? []
    this.shard(filter.namespaceId, query.plane)?.search(query, filter, scopeIds, best)
    return best.ranked()
  }
}
