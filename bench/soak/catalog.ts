import { Pool } from 'pg'
import { startPglite } from '../../src/adapters/catalog/connection/pglite/start.ts'

/** What the catalog of a stopped service takes on the disk, in bytes. */
export interface CatalogSize {
  /** All tables with their indexes. */
  total: number
  /** What grows by contract: rows of the audit log, stubs of purged Units, what is known of purged sources, and kept answers. */
  audit: { rows: number; bytes: number }
  stubs: { rows: number; bytes: number }
  sources: { rows: number; bytes: number }
  keptAnswers: { rows: number; bytes: number }
  /** Tables with their indexes, and indexes. */
  tables: Record<string, number>
}

const relations = `
  SELECT relname AS name, relkind = 'r' AS "isTable", pg_total_relation_size(oid)::float8 AS bytes FROM pg_class
  WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace ORDER BY 2 DESC`

/** Entries of a stub in the table's indexes are a share of all of them, and purged sources a share of their table. */
const natural = `
  SELECT (SELECT count(*) FROM audit_row)::float8 AS audit_rows, (SELECT count(*) FROM kept_answer)::float8 AS kept,
    (SELECT count(*) FROM source)::float8 AS sources,
    (SELECT count(*) FROM source WHERE purged_at IS NOT NULL)::float8 AS purged_sources,
    count(*)::float8 AS stubs,
    (coalesce(sum(pg_column_size(unit.*) + 4), 0) +
      pg_indexes_size('unit') * count(*) / greatest(1, (SELECT count(*) FROM unit)))::float8 AS stub_bytes
  FROM unit WHERE state = 'purged'`

export async function catalogSize(dataDir: string): Promise<CatalogSize> {
  const database = await startPglite({ dataDir })
  const pool = new Pool(database.poolConfig)
  try {
    const { rows } = await pool.query<{ name: string; isTable: boolean; bytes: number }>(relations)
    const tables = Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]))
    const [counted] = (await pool.query<Record<string, number>>(natural)).rows
    const bytesOf = (...names: string[]) => names.reduce((sum, name) => sum + (tables[name] ?? 0), 0)
    const purgedSources = counted?.purged_sources ?? 0
    return {
      total: rows.reduce((sum, { bytes, isTable }) => sum + (isTable ? bytes : 0), 0),
      audit: { rows: counted?.audit_rows ?? 0, bytes: bytesOf('audit_row', 'audit_node', 'audit_checkpoint') },
      stubs: { rows: counted?.stubs ?? 0, bytes: counted?.stub_bytes ?? 0 },
      sources: { rows: purgedSources, bytes: (bytesOf('source') * purgedSources) / Math.max(1, counted?.sources ?? 0) },
      keptAnswers: { rows: counted?.kept ?? 0, bytes: bytesOf('kept_answer') },
      tables,
    }
  } finally {
    await pool.end()
    await database.close()
  }
}
