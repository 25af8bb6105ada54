import { createEmbeddedIndex } from '../../../src/adapters/index-embedded/embedded-index.ts'
import type { Leg } from '../../../src/domain/search/candidates.ts'
import { fuse } from '../../../src/domain/search/fuse.ts'
import type { Candidate, IndexChange, IndexFilter } from '../../../src/ports/indexes/index-filter.ts'
import { benchDir } from '../../support/leave-nothing.ts'
import { idOf } from '../brute-force.ts'
import type { Dataset, Query } from '../data.ts'
import { type Mode, modes } from '../queries.ts'
import type { OpenPeer } from './peer.ts'

const namespaceId = 'bench'
const scopeId = 'scope'
const unitsPerBatch = 500
/** Candidates of each leg, as in the service. */
const depth = 200
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
  const searches = (group: string): Record<Mode, (query: Query, k: number) => Promise<{ unitId: string }[]>> => {
    const filter: IndexFilter = {
      namespaceId,
      clauses: [{ reader: { principalId: 'reader', groups: [group] }, scopeIds: new Map([['text', [scopeId]]]) }],
      filters: [],
    }
    const near = ({ vector }: Query, limit: number) =>
      index.vectors.search({ plane: 'text', model: 'own', vector }, filter, limit)
    const worded = ({ text }: Query, k: number, limit: number) => index.texts.search({ text, topK: k }, filter, limit)
    return {
      vectors: near,
      text: (query, k) => worded(query, k, depth),
      hybrid: async (query, k) => {
        const [texts, vectors] = await Promise.all([worded(query, k, depth), near(query, depth)])
        const legs = [leg('text', texts), leg('vector', vectors)]
        return fuse(legs, { q: query.text }, new Map(), 1).entries.slice(0, k)
      },
    }
  }
  const connect = (mode: Mode) => async (group: string) => {
    const search = searches(group)[mode]
    return {
      search: async (query: Query, k: number) => (await search(query, k)).slice(0, k).map(({ unitId }) => unitId),
      close: async () => {},
    }
  }
  return {
    name: 'this index',
    loadSeconds,
    ways: (Object.keys(modes) as Mode[]).map((mode) => ({ name: 'in process', mode, connect: connect(mode) })),
    close: async () => {
      await index.close()
      folder.remove()
    },
  }
}

const leg = (kind: 'text' | 'vector', candidates: Candidate[]): Leg => ({
  name: kind,
  kind,
  model: kind,
  floor: { any: 0, sameLanguage: 0 },
  candidates,
  full: true,
  trace: { leg: kind, engine: 'embedded', candidates: candidates.length, tookMs: 0 },
})

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
        updatedAt: 0,
      },
    }
  })
}
