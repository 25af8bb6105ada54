import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Released } from '../../src/adapters/index-embedded/threads/released.ts'
import { indexedUnit, namespaceId, put } from '../contract/index-fixtures.ts'
import { shortOrLong } from '../support/amounts.ts'
import { openIndex } from '../support/index/embedded-index.ts'
import { tempDir } from '../support/temp-dir.ts'

const maps = '/proc/self/maps'

/** Shared memories of WebAssembly: each has addresses for 8 GiB. */
const memories = () =>
  readFileSync(maps, 'utf8')
    .split('\n')
    .map((line) => /^(\w+)-(\w+) ---p/.exec(line) ?? [])
    .filter(([, from = '0', to = '0']) => Number.parseInt(to, 16) - Number.parseInt(from, 16) > 2 ** 32).length

test.skipIf(!existsSync(maps))('the memory of rows that were compacted away is freed (needs Linux)', async () => {
  const [units, rounds] = [70, 100]
  const folder = tempDir('released')
  const index = openIndex(folder.path, { quietMs: 20 })
  const before = memories()
  const ownGarbage = new Released(0)
  let seq = 0
  for (let round = 0; round < rounds; round += 1) {
    const changes = Array.from({ length: units }, (_, i) => {
      seq += 1
      return put(indexedUnit(`u${i}`, seq))
    })
    await index.vectors.feed.apply(namespaceId, changes, seq)
  }
  // Two for each round otherwise: that of the vectors, and that of their sketches.
  await expect
    .poll(() => {
      ownGarbage.add(1)
      return memories() - before
    })
    .toBeLessThan(rounds / 2)
  await index.close()
  folder.remove()
})

test.skipIf(!existsSync(maps))('the memory of evicted namespaces is freed (needs Linux)', async () => {
  const rounds = shortOrLong(100, 300)
  const folder = tempDir('evicted')
  const index = openIndex(folder.path, { memoryBytes: 0 })
  const before = memories()
  const changes = [put(indexedUnit('u', 1)), put(indexedUnit('v', 2, { plane: 'visual' }))]
  await index.vectors.feed.apply(namespaceId, changes, 2)
  const loadAndEvict = async () => expect(await index.vectors.feed.cursor(namespaceId)).toBe(2)
  for (let round = 0; round < rounds; round += 1) {
    await loadAndEvict()
    await sleep(2)
  }
  // Four for each round otherwise. On a busy machine evictions come later, and so does the collection of what they released.
  const held = async () => {
    await loadAndEvict()
    return memories() - before
  }
  await expect.poll(held).toBeLessThan(3 * rounds)
  await index.close()
  folder.remove()
})
