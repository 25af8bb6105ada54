import { afterAll } from 'vitest'
import { createEmbeddedIndex, type EmbeddedIndex } from '../../../src/adapters/index-embedded/embedded-index.ts'
import { tempDir } from '../temp-dir.ts'
import { within } from './index-within.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

export interface TestIndexOptions {
  directory?: string
  threads?: number
  memoryBytes?: number
  quietMs?: number
  keepsVectors?: boolean
}

/** The production embedded index. Snapshots go to a directory that the caller removes. */
export function openIndex(directory: string, options: TestIndexOptions = {}): EmbeddedIndex {
  return createEmbeddedIndex({ directory, threads: 2, memoryBytes: 2 ** 28, quietMs: 1000, log: silent, ...options })
}

/**
 * Makes hundreds of empty indexes. Each is a separate set of namespaces in one embedded index. That index has little
 * memory, so it keeps evicting and reloading namespaces.
 */
export function manyIndexes(): () => Promise<EmbeddedIndex> {
  const directory = tempDir('index')
  const shared = openIndex(directory.path, { threads: 3, memoryBytes: 2 ** 22, quietMs: 5 })
  afterAll(async () => {
    await shared.close()
    directory.remove()
  })
  let made = 0
  return async () => {
    const prefix = `${++made}/`
    return { vectors: within(shared.vectors, prefix), texts: within(shared.texts, prefix), close: shared.close }
  }
}
