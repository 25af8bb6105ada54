import { createEmbeddedIndex } from '../../src/adapters/index-embedded/embedded-index.ts'
import type { TextIndex } from '../../src/ports/text-index.ts'
import type { VectorIndex } from '../../src/ports/vector-index.ts'

/** What a test can do to an index, at any time. */
export interface Faults {
  /** Changes wait from now on: the index stays where it is. */
  hold(): void
  release(): void
  applyFails: boolean
  searchFails: boolean
}

/** The embedded indexes, real ones, behind doors that the test can shut. */
export function createFaultyIndex(): {
  vectors: VectorIndex
  texts: TextIndex
  faults: Record<'vectors' | 'texts', Faults>
} {
  const { vectors, texts } = createEmbeddedIndex()
  const faults = { vectors: createDoors(), texts: createDoors() }
  return {
    faults,
    vectors: { ...behind(vectors, faults.vectors), engine: vectors.engine },
    texts: {
      ...behind(texts, faults.texts),
      engine: texts.engine,
      highlights: (query, text) => texts.highlights(query, text),
    },
  }
}

interface Doors extends Faults {
  pass(): Promise<void>
}

function createDoors(): Doors {
  let gate: PromiseWithResolvers<void> | null = null
  return {
    hold: () => {
      gate ??= Promise.withResolvers<void>()
    },
    release: () => {
      gate?.resolve()
      gate = null
    },
    applyFails: false,
    searchFails: false,
    pass: async () => {
      await gate?.promise
    },
  }
}

function behind<Query>(inner: Searchable<Query>, doors: Doors): Searchable<Query> {
  return {
    cursor: (namespaceId) => inner.cursor(namespaceId),
    apply: async (...change) => {
      await doors.pass()
      if (doors.applyFails) throw new Error('the engine does not take changes')
      return inner.apply(...change)
    },
    manifest: (namespaceId, plane) => inner.manifest(namespaceId, plane),
    repair: (namespaceId, changes) => inner.repair(namespaceId, changes),
    ping: () => inner.ping(),
    search: async (...query) => {
      if (doors.searchFails) throw new Error('the engine does not answer')
      return inner.search(...query)
    },
  }
}

type Searchable<Query> = Pick<VectorIndex, 'cursor' | 'apply' | 'manifest' | 'repair' | 'ping'> & {
  search(query: Query, ...rest: SearchRest): ReturnType<VectorIndex['search']>
}
type SearchRest = Parameters<VectorIndex['search']> extends [unknown, ...infer Rest] ? Rest : never
