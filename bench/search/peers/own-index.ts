import { createEmbeddedIndex } from '../../../src/adapters/index-embedded/embedded-index.ts'
import type { IndexChange, IndexFilter } from '../../../src/ports/indexes/index-filter.ts'
import { benchDir } from '../../support/leave-nothing.ts'
import { idOf } from '../brute-force.ts'
import type { Dataset } from '../data.ts'
import type { OpenPeer } from './peer.ts'

const namespaceId = 'bench'
const scopeId = 'scope'
const unitsPerBatch = 500
const log = { info: () => {}, warn: () => {}, error: () => {} }

/** The service's index without the service: in process, like LanceDB. It does not store texts, so it reads none. */
export const openOwnIndex: OpenPeer = async (dataset) => {
  const folder = benchDir('own-index')
  const index = createEmbeddedIndex({ directory: folder.path, threads: 2, memoryBytes: 2 ** 34, quietMs: 60_000, log })
  const begun = performance.now()
  for (let start = 0; start < dataset.size; start += unitsPerBatch) {
    const changes = changesFrom(dataset, start)
    await index.vectors.feed.apply(namespaceId, changes, start + changes.length)
  }
  const loadSeconds = (performance.now() - begun) / 1000
  const connect = async (group: string) => {
    const filter: IndexFilter = {
      namespaceId,
      clauses: [{ reader: { principalId: 'reader', groups: [group] }, scopeIds: new Map([['text', [scopeId]]]) }],
      filters: {},
    }
    return {
      search: async (vector: Float32Array, k: number) => {
        const found = await index.vectors.search({ plane: 'text', model: 'own', vector }, filter, k)
        return found.map(({ unitId }) => unitId)
      },
      close: async () => {},
    }
  }
  return {
    name: 'this index',
    loadSeconds,
    ways: [{ name: 'in process, exact', connect }],
    close: async () => {
      await index.close()
      folder.remove()
    },
  }
}

function changesFrom({ size, text, groups, vector }: Dataset, start: number): IndexChange[] {
  return Array.from({ length: Math.min(unitsPerBatch, size - start) }, (_, i) => {
    const unit = start + i
    return {
      kind: 'put',
      unit: {
        unitId: idOf(unit),
        seq: unit + 1,
        plane: 'text',
        scopeId,
        acl: { owner: 'writer', groups: groups(unit) },
        modality: 'text',
        text: text(unit),
        title: null,
        language: null,
        vector: { model: 'own', values: vector(unit).slice() },
        docId: null,
        externalId: null,
        sourceUri: null,
        mime: null,
        locator: null,
        metadata: {},
        createdAt: 0,
      },
    }
  })
}
