import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEmbeddedIndex, type EmbeddedIndex } from '../../src/adapters/index-embedded/embedded-index.ts'
import { shortOrLong } from '../support/amounts.ts'
import { openIndex } from '../support/index/embedded-index.ts'
import { tempDir } from '../support/temp-dir.ts'
import { filterFor, indexedUnit, namespaceId, put } from './index-fixtures.ts'

let folder: ReturnType<typeof tempDir>
let index: EmbeddedIndex
const open = (threads: number) => {
  index = openIndex(folder.path, { threads, memoryBytes: 0, quietMs: 10_000 })
}
beforeEach(() => {
  folder = tempDir('eviction')
})
afterEach(async () => {
  await index.close()
  folder.remove()
})

const search = () => index.texts.search({ text: 'alpha', topK: 5 }, filterFor(), 10)

describe('an evicted namespace', () => {
  for (const threads of [1, 2, 3]) {
    it(`is available to a request at that very moment, with ${threads} threads`, async () => {
      open(threads)
      await index.texts.feed.apply(namespaceId, [put(indexedUnit('u', 1))], 1)
      for (let ticks = 0; ticks < 30; ticks += shortOrLong(3, 1)) {
        // The namespace is now saved and released. The next search loads it, and evicts it after its answer.
        await sleep(10)
        expect(await search()).toMatchObject([{ unitId: 'u' }])
        for (let tick = 0; tick < ticks; tick++) await null
        expect(await search()).toMatchObject([{ unitId: 'u' }])
      }
    })

    it(`is available to a request while its snapshot is written, with ${threads} threads`, async () => {
      open(threads)
      for (let seq = 1; seq <= 30; seq++) {
        await index.texts.feed.apply(namespaceId, [put(indexedUnit('u', seq))], seq)
        for (let i = 0; i < 5; i++) expect(await search()).toMatchObject([{ unitId: 'u' }])
        await sleep(seq % 3)
      }
      expect(await index.texts.feed.manifest(namespaceId, 'text')).toEqual(new Map([['u', 30]]))
    })
  }
})

describe('a snapshot that cannot be written', () => {
  for (const memoryBytes of [0, 2 ** 28]) {
    it(`loses nothing and blocks neither requests nor closing, with ${memoryBytes} bytes of memory`, async () => {
      const directory = join(folder.path, 'not-yet')
      const warnings: string[] = []
      const log = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message), error: () => {} }
      index = createEmbeddedIndex({ directory, threads: 2, memoryBytes, quietMs: 1, log })
      await index.texts.feed.cursor(namespaceId)
      // A file at the path of the directory.
      writeFileSync(directory, '')
      for (let seq = 1; seq <= 5; seq++) {
        await index.texts.feed.apply(namespaceId, [put(indexedUnit(`u${seq}`, seq))], seq)
        await sleep(2)
        expect(await search()).toHaveLength(seq)
      }
      await index.close()
      expect(new Set(warnings)).toEqual(new Set(['an index snapshot could not be written']))
    })
  }
})
