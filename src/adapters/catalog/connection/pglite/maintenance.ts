import type { PGlite } from '@electric-sql/pglite'
import { bool, float, rowsOf, text } from '../../database/columns.ts'

/** The write-ahead log may grow by this much before a checkpoint; after a crash it must be replayed. */
const walBytes = 64 * 1024 * 1024

const walSinceCheckpoint = `
  SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS bytes FROM pg_control_checkpoint()`

/**
 * Autovacuum's rule (a fifth of the table has changed) with a higher floor, because nothing else runs meanwhile. New
 * rows count, so that erasing deleted ones does not have to read all rows added since. Dead rows may be a hundred and a
 * twentieth: a file keeps the pages that it once needed for them, and stubs of purged Units count as rows.
 */
const neediestTable = `
  SELECT relid::regclass::text AS name, n_dead_tup > dead OR n_ins_since_vacuum > changed AS bloated,
    n_mod_since_analyze > changed AS outdated
  FROM pg_stat_user_tables JOIN pg_class ON pg_class.oid = relid,
       LATERAL (SELECT 500 + 0.2 * rows AS changed, 100 + 0.05 * rows AS dead
                FROM (SELECT greatest(reltuples, 0) AS rows) table_rows) limits
  WHERE n_dead_tup > dead OR greatest(n_ins_since_vacuum, n_mod_since_analyze) > changed
  ORDER BY n_dead_tup + n_mod_since_analyze DESC LIMIT 1`

/**
 * Does the work of a server's background processes, which PGlite lacks. Without checkpoints the write-ahead log grows
 * without limit, without VACUUM the tables do, and without ANALYZE the planner guesses. One table at a time, to keep
 * the pause short. Call it outside a transaction.
 */
export async function maintain(database: PGlite): Promise<void> {
  const [wal] = await rowsOf(database, { bytes: float }, walSinceCheckpoint)
  if ((wal?.bytes ?? 0) > walBytes) await database.exec('CHECKPOINT')
  // Otherwise the statistics lag behind by up to a second.
  await database.exec('SELECT pg_stat_force_next_flush()')
  const [table] = await rowsOf(database, { name: text, bloated: bool, outdated: bool }, neediestTable)
  if (!table) return
  const command = !table.bloated ? 'ANALYZE' : table.outdated ? 'VACUUM (ANALYZE)' : 'VACUUM'
  await database.exec(`${command} ${table.name}`)
}
