import type { IndexChange, IndexFeed } from '../../ports/indexes/index-filter.ts'
import type { TextIndex } from '../../ports/indexes/text-index.ts'
import type { VectorIndex } from '../../ports/indexes/vector-index.ts'
import { analyse, isSingleSign } from './analysis/analyse.ts'
import { highlights } from './analysis/find-passage.ts'
import { Host, type HostOptions } from './threads/host.ts'

export interface EmbeddedIndexOptions extends HostOptions {
  /** False where another engine has the vectors: then they take no memory here. */
  keepsVectors?: boolean
}

export interface EmbeddedIndex {
  vectors: VectorIndex
  texts: TextIndex
  close(): Promise<void>
}

/**
 * Both indexes over the same shards, in threads of this process. Where many rows are visible, sketches say which vectors
 * cannot be near; the others are compared exactly. A vector that is not finite, or whose length differs from the compared
 * one, is left out of its Unit, and refused with a RangeError as a query. The catalog fixes a model's dims, so callers cannot
 * cause either.
 */
export function createEmbeddedIndex({ keepsVectors = true, ...options }: EmbeddedIndexOptions): EmbeddedIndex {
  const host = new Host(options)
  const kept = (changes: readonly IndexChange[]) => (keepsVectors ? changes : changes.map(withoutVectors))
  const feed: IndexFeed = {
    local: true,
    cursor: (namespaceId) => host.cursor(namespaceId),
    apply: (namespaceId, changes, upTo, after = 0) => host.apply(namespaceId, kept(changes), { after, upTo }),
    release: async () => {},
    behind: async () => [],
    manifest: (namespaceId, plane) => host.manifest(namespaceId, plane),
    repair: async (namespaceId, changes) => {
      await host.apply(namespaceId, kept(changes), null)
    },
    held: (namespaceId, units) => host.held(namespaceId, units),
    reset: (namespaceId) => host.reset(namespaceId),
  }
  const shared = { engine: 'embedded', feed, ping: async () => {}, content: () => host.content() }
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
      facets: (namespaceId, { among, ...question }) => host.ask('countFacets', namespaceId, among, question),
      values: (namespaceId, { among, ...question }) => host.ask('readValues', namespaceId, among, question),
      findsLetters: (query) => !analyse(query).some(({ word }) => isSingleSign(word)),
      highlights,
    },
    close: () => host.close(),
  }
}

function withoutVectors(change: IndexChange): IndexChange {
  if (change.kind !== 'put') return change
  const { otherVector, ...unit } = change.unit
  return { kind: 'put', unit: { ...unit, vector: null } }
}
