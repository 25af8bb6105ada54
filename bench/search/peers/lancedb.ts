import { readFile } from 'node:fs/promises'
import { benchDir } from '../../support/leave-nothing.ts'
import { idOf } from '../brute-force.ts'
import type { Dataset } from '../data.ts'
import { importPeer } from './import-peer.ts'
import type { OpenPeer, PeerClient } from './peer.ts'

/** The used part of `@lancedb/lancedb`. */
interface Lance {
  connect(path: string): Promise<{ createTable(name: string, rows: object[]): Promise<Table> }>
  Index: { hnswSq(options: object): object; labelList(): object }
}

interface Table {
  add(rows: object[]): Promise<unknown>
  createIndex(column: string, options: { config: object }): Promise<void>
  vectorSearch(vector: Float32Array): Query
  close(): void
}

interface Query {
  distanceType(type: 'cosine'): Query
  where(predicate: string): Query
  select(columns: string[]): Query
  limit(k: number): Query
  ef(ef: number): Query
  refineFactor(factor: number): Query
  bypassVectorIndex(): Query
  toArray(): Promise<{ id: string; text: string }[]>
}

const rowsPerAdd = 10_000

/** In process, in its own folder. Filters apply before the search, which is its default. */
export const openLanceDb: OpenPeer = async (dataset) => {
  const lance = (await importPeer('@lancedb/lancedb')) as Lance
  const manifest = new URL('node_modules/@lancedb/lancedb/package.json', import.meta.url)
  const { version } = JSON.parse(await readFile(manifest, 'utf8'))
  const folder = benchDir('lancedb')
  const database = await lance.connect(folder.path)
  const begun = performance.now()
  const table = await database.createTable('units', rowsOf(dataset, 0))
  for (let start = rowsPerAdd; start < dataset.size; start += rowsPerAdd) await table.add(rowsOf(dataset, start))
  await table.createIndex('groups', { config: lance.Index.labelList() })
  await table.createIndex('vector', { config: lance.Index.hnswSq({ distanceType: 'cosine' }) })
  const loadSeconds = (performance.now() - begun) / 1000

  const connect = (refine: (query: Query) => Query) => async (group: string) =>
    ({
      search: async ({ vector }, k) => {
        const query = table
          .vectorSearch(vector)
          .distanceType('cosine')
          .where(`array_has_any(groups, ['${group}'])`)
          .select(['id', 'text', '_distance'])
          .limit(k)
        return (await refine(query).toArray()).map(({ id }) => id)
      },
      close: async () => {},
    }) satisfies PeerClient
  return {
    name: `LanceDB ${version}`,
    loadSeconds,
    ways: [
      { name: 'exact', mode: 'vectors', connect: connect((query) => query.bypassVectorIndex()) },
      { name: 'HNSW_SQ, refined', mode: 'vectors', connect: connect((query) => query.ef(200).refineFactor(10)) },
    ],
    close: async () => {
      table.close()
      folder.remove()
    },
  }
}

function rowsOf({ size, text, groups, vector }: Dataset, start: number): object[] {
  return Array.from({ length: Math.min(rowsPerAdd, size - start) }, (_, i) => {
    const unit = start + i
    return { id: idOf(unit), text: text(unit), groups: groups(unit), vector: Array.from(vector(unit)) }
  })
}
