import { Client } from 'pg'
import { idOf } from '../brute-force.ts'
import { type Dataset, dimensions, vectorText } from '../data.ts'
import type { OpenPeer, PeerClient } from './peer.ts'
import { startPostgres } from './postgres-server.ts'

const schema = `
  CREATE EXTENSION vector;
  CREATE TABLE units (id text, groups text[], body text, embedding vector(${dimensions}));
  ALTER TABLE units ALTER COLUMN embedding SET STORAGE PLAIN;
`

const indexes = `
  CREATE INDEX ON units USING gin (groups);
  CREATE INDEX ON units USING hnsw (embedding vector_cosine_ops);
  VACUUM ANALYZE units;
`

/** Connection settings that force one query plan. The index scan continues until enough rows pass the filter. */
const ways = {
  exact: 'SET enable_indexscan = off',
  HNSW: 'SET enable_bitmapscan = off; SET enable_seqscan = off; SET enable_sort = off; SET hnsw.ef_search = 100; SET hnsw.iterative_scan = relaxed_order',
}

export const openPgvector: OpenPeer = async (dataset) => {
  const server = await startPostgres()
  const begun = performance.now()
  await server.psql(script(dataset))
  const loadSeconds = (performance.now() - begun) / 1000

  const open = async () => {
    const client = new Client({ host: '127.0.0.1', port: server.port, user: 'postgres', database: 'postgres' })
    await client.connect()
    return client
  }
  const client = await open()
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS server, (SELECT extversion FROM pg_extension WHERE extname = 'vector')`,
  )
  await client.end()
  const connect =
    (settings: string) =>
    async (group: string): Promise<PeerClient> => {
      const client = await open()
      await client.query(settings)
      const text = `SELECT id, body FROM units WHERE groups @> '{${group}}' ORDER BY embedding <=> $1 LIMIT $2`
      return {
        search: async ({ vector }, k: number) => {
          const { rows } = await client.query({ name: 'search', text, values: [vectorText(vector), k] })
          return rows.map(({ id }) => id as string)
        },
        close: () => client.end(),
      }
    }
  return {
    name: `PostgreSQL ${rows[0]?.server} + pgvector ${rows[0]?.extversion}`,
    loadSeconds,
    ways: Object.entries(ways).map(([name, settings]) => ({ name, mode: 'vectors', connect: connect(settings) })),
    close: server.close,
  }
}

function* script({ size, groups, text, vector }: Dataset): Generator<string> {
  yield `${schema}COPY units FROM STDIN;\n`
  for (let unit = 0; unit < size; unit++) {
    yield `${idOf(unit)}\t{${groups(unit).join(',')}}\t${text(unit)}\t${vectorText(vector(unit))}\n`
  }
  yield `\\.\n${indexes}`
}
