import type { IndexFeed } from '../../../src/ports/indexes/index-filter.ts'
import type { TextIndex } from '../../../src/ports/indexes/text-index.ts'
import type { VectorIndex } from '../../../src/ports/indexes/vector-index.ts'
import { tempDir } from '../temp-dir.ts'
import { openIndex } from './embedded-index.ts'

/** The faults that a test can switch on and off at any time. */
export interface Faults {
  /** From now on changes wait, and the index state does not move. */
  hold(): void
  release(): void
  applyFails: boolean
  cursorFails: boolean
  searchFails: boolean
}

/** The real embedded indexes, each with its own feed; a test can make their calls wait or fail. */
export function createFaultyIndex(): {
  vectors: VectorIndex
  texts: TextIndex
  faults: Record<'vectors' | 'texts', Faults>
  close(): Promise<void>
} {
  const directories = [tempDir('vectors'), tempDir('texts')] as const
  const [forVectors, forTexts] = [openIndex(directories[0].path), openIndex(directories[1].path)]
  const faults = { vectors: createDoors(), texts: createDoors() }
  return {
    faults,
    vectors: {
      ...forVectors.vectors,
      feed: behind(forVectors.vectors.feed, faults.vectors),
      search: async (...asked) => answering(faults.vectors) && forVectors.vectors.search(...asked),
    },
    texts: {
      ...forTexts.texts,
      feed: behind(forTexts.texts.feed, faults.texts),
      search: async (...asked) => answering(faults.texts) && forTexts.texts.search(...asked),
    },
    close: async () => {
      await Promise.all([forVectors.close(), forTexts.close()])
      for (const directory of directories) directory.remove()
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
    cursorFails: false,
    searchFails: false,
    pass: async () => {
      await gate?.promise
    },
  }
}

function answering(doors: Doors): true {
  if (doors.searchFails) throw new Error('the engine does not answer')
  return true
}

function behind(feed: IndexFeed, doors: Doors): IndexFeed {
  return {
    ...feed,
    cursor: async (namespaceId) => {
      if (doors.cursorFails) throw new Error('the engine does not know where it is')
      return feed.cursor(namespaceId)
    },
    apply: async (...change) => {
      await doors.pass()
      if (doors.applyFails) throw new Error('the engine does not take changes')
      return feed.apply(...change)
    },
    reset: async (namespaceId) => {
      await doors.pass()
      return feed.reset(namespaceId)
    },
  }
}
