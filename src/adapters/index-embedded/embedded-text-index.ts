import type { Candidate, IndexFilter } from '../../ports/index-filter.ts'
import type { Highlight, TextIndex } from '../../ports/text-index.ts'
import { highlights } from './analysis/highlights.ts'
import { queryTerms } from './analysis/query-terms.ts'
import { bm25 } from './bm25.ts'
import { TextShard } from './text-shard.ts'
import { TopK } from './top-k.ts'
import { UnitStore } from './unit-store.ts'

interface VisibleShard {
  shard: TextShard
  /** By row number, 1 where the search may see the row. */
  visible: Uint8Array
}

/** BM25 over the visible rows of all planes of the filter together. */
export class EmbeddedTextIndex extends UnitStore<TextShard> implements TextIndex {
  constructor() {
    super(() => new TextShard())
  }

  async search(query: string, filter: IndexFilter, limit: number): Promise<Candidate[]> {
    const shards = this.#visibleShards(filter)
    if (query.trim() === '') return everything(shards, limit)
    const { field, terms } = queryTerms(query)
    const scores = bm25(
      terms,
      shards.map(({ shard, visible }) => ({ field: shard.fields[field], visible })),
    )
    const best = new TopK(limit)
    shards.forEach(({ shard }, s) => {
      scores[s]?.forEach((score, number) => {
        const row = score > 0 ? shard.rows[number] : null
        if (row != null) best.offer(row.unitId, score)
      })
    })
    return best.ranked()
  }

  #visibleShards(filter: IndexFilter): VisibleShard[] {
    return [...filter.scopeIds].flatMap(([plane, scopeIds]) => {
      const shard = this.shard(filter.namespaceId, plane)
      return shard === undefined ? [] : [{ shard, visible: shard.visible(filter, scopeIds) }]
    })
  }

  highlights(query: string, text: string): Highlight[] {
    return highlights(query, text)
  }
}

/** What an empty query finds: all that the filter lets through, none better than another. */
function everything(shards: readonly VisibleShard[], limit: number): Candidate[] {
  const best = new TopK(limit)
  for (const { shard, visible } of shards) {
    for (const [number, row] of shard.rows.entries())
      if (row !== null && visible[number] === 1) best.offer(row.unitId, 0)
  }
  return best.ranked()
}
