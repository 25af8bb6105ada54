import pg from 'pg'
import { createDatabase } from '../../test/support/database/database.ts'
import { makeDataset, vectorBase64 } from '../search/data.ts'
import { startBenchServer } from '../support/server.ts'

/** What Units take, of 40 words and with a vector of 384 numbers of the caller's own, in batches of 500. */
export interface Measured {
  units: number
  /** Of all tables, less those of the empty catalog. */
  rows: number
  bytes: number
  tables: readonly { table: string; rows: number; bytes: number }[]
  /** Of the embedded index, with texts and vectors. */
  indexBytes: number
  seconds: number
}

const batch = 500

/** Measures one size on the server of TEST_DATABASE_URL. */
export async function measureCosts(server: string, units: number): Promise<Measured> {
  // First: a million take so long that connections which are open meanwhile would end.
  const dataset = makeDataset(units, 0, [0.02, 0.5])
  const database = await createDatabase(server)
  const bench = await startBenchServer({
    DATABASE_URL: database.url,
    AUTH_SECRET: 'of a benchmark, and of nothing else at all',
    // All of it is held, or its bytes could not be counted.
    INDEX_MEMORY_MB: '8192',
  })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const empty = await tablesOf(client)
    const begun = performance.now()
    for (let start = 0; start < units; start += batch) {
      const body = Array.from({ length: Math.min(batch, units - start) }, (_, i) => ({
        external_id: `unit-${start + i}`,
        text: dataset.text(start + i),
        acl_groups: dataset.groups(start + i),
        vector: vectorBase64(dataset.vector(start + i)),
      }))
      await bench.post('/v1/ingest', { units: body }, 'bench/units')
    }
    const seconds = (performance.now() - begun) / 1000
    const content = await bench.runtime.domain.load.content()
    const indexBytes = [...(content ?? new Map()).values()].reduce((sum, { bytes }) => sum + bytes, 0)
    const before = new Map(empty.map((one) => [one.table, one]))
    const tables = (await tablesOf(client))
      .map(({ table, rows, bytes }) => ({
        table,
        rows: rows - (before.get(table)?.rows ?? 0),
        bytes: bytes - (before.get(table)?.bytes ?? 0),
      }))
      .filter(({ rows }) => rows > 0)
      .sort((a, b) => b.bytes - a.bytes)
    const sum = (field: 'rows' | 'bytes') => tables.reduce((total, one) => total + one[field], 0)
    return { units, rows: sum('rows'), bytes: sum('bytes'), tables, indexBytes, seconds }
  } finally {
    await client.end()
    await bench.close()
    await database.drop()
  }
}

/** Rows and bytes of each table, with its indexes and what is stored out of line. */
async function tablesOf(client: pg.Client): Promise<{ table: string; rows: number; bytes: number }[]> {
  const { rows } = await client.query(`SELECT relname AS table, pg_total_relation_size(oid)::float8 AS bytes
    FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`)
  const tables: { table: string; rows: number; bytes: number }[] = []
  for (const { table, bytes } of rows) {
    const counted = await client.query(`SELECT count(*)::float8 AS n FROM "${table}"`)
    tables.push({ table, bytes, rows: counted.rows[0].n })
  }
  return tables
}
