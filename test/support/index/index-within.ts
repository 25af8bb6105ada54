import type { Candidate, IndexFeed, IndexFilter, UnitIndex } from '../../../src/ports/indexes/index-filter.ts'

type Searchable<Q> = UnitIndex & { search(query: Q, filter: IndexFilter, limit: number): Promise<Candidate[]> }

/** What callers may see of candidates. Where they are depends on rows that are hidden. */
const withoutPlaces = (found: readonly Candidate[]): Candidate[] => found.map(({ at: _, ...seen }) => seen)

/** Gives a part of an index as a separate index: all its namespace ids start with `prefix`. */
export function within<Q, I extends Searchable<Q>>(index: I & Searchable<Q>, prefix: string): I {
  const { feed } = index
  const inner = (namespaceId: string) => `${prefix}${namespaceId}`
  const innerFeed: IndexFeed = {
    local: feed.local,
    cursor: (namespaceId) => feed.cursor(inner(namespaceId)),
    apply: (namespaceId, ...batch) => feed.apply(inner(namespaceId), ...batch),
    release: (namespaceId) => feed.release(inner(namespaceId)),
    manifest: (namespaceId, plane) => feed.manifest(inner(namespaceId), plane),
    repair: (namespaceId, changes) => feed.repair(inner(namespaceId), changes),
    reset: (namespaceId) => feed.reset(inner(namespaceId)),
    behind: () => feed.behind(),
  }
  return {
    ...index,
    feed: innerFeed,
    search: async (query: Q, filter: IndexFilter, limit: number) =>
      withoutPlaces(await index.search(query, { ...filter, namespaceId: inner(filter.namespaceId) }, limit)),
  }
}
