import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EmbeddedIndex } from '../../src/adapters/index-embedded/embedded-index.ts'
import { atNight } from '../support/amounts.ts'
import { openIndex, type TestIndexOptions } from '../support/index/embedded-index.ts'
import { tempDir } from '../support/temp-dir.ts'
import { filterFor, indexedUnit, namespaceId, put, remove } from './index-fixtures.ts'

const pressures: Record<string, TestIndexOptions> = {
  'with memory to spare': { threads: 4, quietMs: 10_000 },
  'while snapshots are written': { threads: 4, quietMs: 0 },
  'while namespaces are evicted': { threads: 4, quietMs: 1, memoryBytes: 0 },
  'in one thread, while namespaces are evicted': { threads: 1, quietMs: 1, memoryBytes: 0 },
}

for (const [name, options] of Object.entries(pressures)) {
  describe(`searches beside changes, ${name}`, () => {
    let folder: ReturnType<typeof tempDir>
    let index: EmbeddedIndex
    beforeEach(() => {
      folder = tempDir('threads')
      index = openIndex(folder.path, options)
    })
    afterEach(async () => {
      await index.close()
      folder.remove()
    })

    const unitIds = Array.from({ length: 30 }, (_, i) => `u${String(i).padStart(2, '0')}`)
    const angle = (version: number) => version / 100
    /** Writes all Units in one version: the vectors hold its angle, the metadata its number. */
    const applyVersion = async (version: number) => {
      const values = Float32Array.of(Math.cos(angle(version)), Math.sin(angle(version)), 0)
      const seq = version * 100
      const changes = unitIds.map((unitId, i) => {
        // One more Unit is added and removed, which moves row numbers.
        if (i === 7 && version % 3 === 0) return remove('comrade', seq + i)
        if (i === 7) return put(indexedUnit('comrade', seq + i, { text: 'beta', vector: null }))
        return put(indexedUnit(unitId, seq + i, { vector: { model: 'm', values }, metadata: { version } }))
      })
      await index.vectors.feed.apply(namespaceId, changes, seq + unitIds.length)
    }
    const steady = unitIds.filter((_, i) => i !== 7)
    const [rounds, maxRounds, enoughSearches] = atNight ? [30, 300, 200] : [10, 100, 70]

    it('see each batch as a whole, none of them lost, none twice', async () => {
      let [sent, acknowledged, searches, finished] = [1, 0, 0, false]
      await applyVersion(1)
      acknowledged = 1
      const writing = (async () => {
        // Until enough searches ran during a change, because writes or searches may be faster on this machine.
        while (sent < rounds || (searches < enoughSearches && sent < maxRounds)) {
          await applyVersion(++sent)
          acknowledged = sent
        }
        finished = true
      })()
      const searchVectors = async () => {
        const from = acknowledged
        const query = { plane: 'text', model: 'm', vector: Float32Array.of(1, 0, 0) } as const
        const found = await index.vectors.search(query, filterFor(), 100)
        expect(found.map((c) => c.unitId)).toEqual(steady)
        const versions = new Set(found.map(({ score }) => Math.round(Math.acos(score) * 100)))
        expect(versions.size).toBe(1)
        const [version = 0] = versions
        expect(version).toBeGreaterThanOrEqual(from)
        expect(version).toBeLessThanOrEqual(sent)
      }
      const searchTexts = async () => {
        const filters = { metadata: { version: { gte: acknowledged } } }
        const found = await index.texts.search({ text: 'alpha', topK: 5 }, filterFor({ filters }), 100)
        expect(found.map((c) => c.unitId)).toEqual(steady)
        expect(new Set(found.map((c) => c.score)).size).toBe(1)
      }
      const searching = Array.from({ length: 50 }, async (_, i) => {
        while (!finished) {
          await (i % 2 === 0 ? searchVectors() : searchTexts())
          searches++
        }
      })
      await Promise.all([writing, ...searching])
      expect(searches).toBeGreaterThanOrEqual(enoughSearches)
      expect((await index.vectors.feed.manifest(namespaceId, 'text')).size).toBe(
        steady.length + (sent % 3 === 0 ? 0 : 1),
      )
    })

    it('know the readers of each row, however often rows and readers are renumbered', async () => {
      const readers = ['ann', 'ben', 'cat', 'dan', 'eve']
      const reads = (reader: string, unit: number, version: number) =>
        readers[(unit * 7 + version * 3) % readers.length] === reader
      const allSearches = async (version: number) => {
        const asked = readers.flatMap((reader) => Array.from({ length: 4 }, () => reader))
        await Promise.all(
          asked.map(async (reader) => {
            const filter = filterFor({ reader: { principalId: reader, groups: [] } })
            const found = await index.texts.search({ text: 'alpha', topK: 5 }, filter, 100)
            expect(found.map((c) => c.unitId)).toEqual(unitIds.filter((_, i) => reads(reader, i, version)))
          }),
        )
      }
      for (let version = 1; version <= (atNight ? 30 : 15); version++) {
        if (version % 10 === 0) await index.texts.feed.reset(namespaceId)
        const changes = unitIds.map((unitId, i) => {
          const owner = readers.find((reader) => reads(reader, i, version)) ?? ''
          return put(indexedUnit(unitId, version * 100 + i, { acl: { owner, groups: [] } }))
        })
        await index.texts.feed.apply(namespaceId, changes, version * 100 + 99)
        await allSearches(version)
      }
    })

    it('keep namespaces apart that take turns', async () => {
      const namespaces = Array.from({ length: 5 }, (_, i) => `ns_${i}`)
      const lives = namespaces.map(async (namespaceId, n) => {
        const living = new Set<string>()
        for (let seq = 1; seq <= (atNight ? 60 : 30); seq++) {
          const unitId = `${namespaceId}-u${(seq * (n + 3)) % 11}`
          const gone = living.has(unitId) && seq % 3 === 0
          if (gone) living.delete(unitId)
          else living.add(unitId)
          const change = gone ? remove(unitId, seq) : put(indexedUnit(unitId, seq))
          await index.texts.feed.apply(namespaceId, [change], seq)
          const filter = filterFor({ namespaceId })
          const [found, cursor, manifest] = await Promise.all([
            index.texts.search({ text: 'alpha', topK: 5 }, filter, 100),
            index.texts.feed.cursor(namespaceId),
            index.texts.feed.manifest(namespaceId, 'text'),
          ])
          expect(found.map((c) => c.unitId)).toEqual([...living].sort())
          expect(cursor).toBe(seq)
          expect([...manifest.keys()].sort()).toEqual([...living].sort())
        }
      })
      await Promise.all(lives)
    })
  })
}
