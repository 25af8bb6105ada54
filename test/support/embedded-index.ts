import { afterAll } from 'vitest'
import { createEmbeddedIndex, type EmbeddedIndex } from '../../src/adapters/index-embedded/embedded-index.ts'
import type { IndexFeed, IndexFilter } from '../../src/ports/index-filter.ts'
import type { TextIndex } from '../../src/ports/text-index.ts'
import type { VectorIndex } from '../../src/ports/vector-index.ts'
import { tempDir } from './temp-dir.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

export interface TestIndexOptions {
  directory?: string
  threads?: number
  memoryBytes?: number
  quietMs?: number
}

/** The shipped embedded index; snapshots go to a directory that the caller removes. */
export function openIndex(directory: string, options: TestIndexOptions = {}): EmbeddedIndex {
  return createEmbeddedIndex({ directory, threads: 2, memoryBytes: 2 ** 28, quietMs: 1000, log: silent, ...options })
}

/**
 * Makes empty indexes by the hundred: each is a set of namespaces of its own in one embedded index, which is short of
 * memory, so that namespaces are written out and loaded again all the time.
 */
export function manyIndexes(): () => Promise<EmbeddedIndex> {
  const directory = tempDir('index')
  const shared = openIndex(directory.path, { threads: 3, memoryBytes: 2 ** 22, quietMs: 5 })
  afterAll(async () => {
    await shared.close()
    directory.remove()
  })
  let made = 0
  return async () => within(shared, `${++made}`)
}

function within({ vectors, texts, close }: EmbeddedIndex, prefix: string): EmbeddedIndex {
  const inner = (namespaceId: string) => `${prefix}/${namespaceId}`
  const innerFilter = (filter: IndexFilter) => ({ ...filter, namespaceId: inner(filter.namespaceId) })
  const feed: IndexFeed = {
    cursor: (namespaceId) => texts.feed.cursor(inner(namespaceId)),
    apply: (namespaceId, changes, upTo) => texts.feed.apply(inner(namespaceId), changes, upTo),
    manifest: (namespaceId, plane) => texts.feed.manifest(inner(namespaceId), plane),
    repair: (namespaceId, changes) => texts.feed.repair(inner(namespaceId), changes),
    reset: (namespaceId) => texts.feed.reset(inner(namespaceId)),
  }
  const vectorIndex: VectorIndex = {
    ...vectors,
    feed,
    search: (query, filter, limit) => vectors.search(query, innerFilter(filter), limit),
  }
  const textIndex: TextIndex = {
    ...texts,
    feed,
    search: (query, filter, limit) => texts.search(query, innerFilter(filter), limit),
  }
  return { vectors: vectorIndex, texts: textIndex, close }
}
