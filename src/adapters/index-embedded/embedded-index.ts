import type { IndexFeed } from '../../ports/index-filter.ts'
import type { TextIndex } from '../../ports/text-index.ts'
import type { VectorIndex } from '../../ports/vector-index.ts'
import { highlights } from './analysis/highlights.ts'
import { Host, type HostOptions } from './threads/host.ts'

export interface EmbeddedIndex {
  vectors: VectorIndex
  texts: TextIndex
  close(): Promise<void>
}

/**
 * Both indexes over the same shards, exact, in threads of this process. A vector that is not finite, or whose length
 * differs from what it is compared with, is refused with a RangeError: the catalog fixes a model's dims, so neither can
 * come from a caller.
 */
export function createEmbeddedIndex(options: HostOptions): EmbeddedIndex {
  const host = new Host(options)
  const feed: IndexFeed = {
    local: true,
    cursor: (namespaceId) => host.cursor(namespaceId),
    apply: async (namespaceId, changes, upTo) => {
      await host.apply(namespaceId, changes, upTo)
      return true
    },
    release: async () => {},
    behind: async () => [],
    manifest: (namespaceId, plane) => host.manifest(namespaceId, plane),
    repair: (namespaceId, changes) => host.apply(namespaceId, changes, null),
    reset: (namespaceId) => host.reset(namespaceId),
  }
  const shared = { engine: 'embedded', feed, ping: async () => {} }
  return {
    vectors: {
      ...shared,
      nameOf: () => shared.engine,
      search: (query, filter, limit) =>
        host.search('searchVectors', { namespaceId: filter.namespaceId, query, filter, limit }),
    },
    texts: {
      ...shared,
      search: (query, filter, limit) =>
        host.search('searchText', { namespaceId: filter.namespaceId, query, filter, limit }),
      highlights,
    },
    close: () => host.close(),
  }
}
