import type { Pool } from 'pg'
import type { BackupHead, BackupHold } from '../../../../model/backup.ts'
import { OperatorError } from '../../../../model/operator-error.ts'
import { float, rowsOf, text } from '../../database/columns.ts'

export type Snapshots = ReturnType<typeof createSnapshots>

interface Deps {
  hasSpace(): boolean
  /** Resolves when no maintenance runs any more. */
  holdMaintenance(isHeld: boolean): Promise<void>
}

/** Larger changes of a table are left to its maintenance: a VACUUM of them would delay requests. */
const vacuumRows = 20_000

/**
 * Tables that have changed. VACUUM and ANALYZE change pages that no write changes: before the copy they do not change
 * them after it, when the next snapshot compares.
 */
const changedTables = `
  SELECT relid::regclass::text AS name FROM pg_stat_user_tables
  WHERE greatest(n_dead_tup, n_ins_since_vacuum) BETWEEN 1 AND ${vacuumRows}`

const rowCounts = { namespaces: float, principals: float, units: float, sources: float, audit_rows: float }
const counts = (units: string, auditRows: string) => `
  SELECT (SELECT count(*) FROM namespace)::float8 AS namespaces, (SELECT count(*) FROM principal)::float8 AS principals,
    (${units})::float8 AS units, (SELECT count(*) FROM source)::float8 AS sources, (${auditRows})::float8 AS audit_rows`

/** From the counters that each write keeps: their cost does not grow with the data. */
const keptCounts = counts(
  'SELECT coalesce(sum(units), 0) FROM unit_count',
  'SELECT coalesce(sum(audit_seq), 0) FROM head',
)
const ownCounts = counts(`SELECT count(*) FROM unit WHERE state = 'live'`, 'SELECT count(*) FROM audit_row')

const headColumns = { id: text, namespace: text, seq: float, hash: text }
const headRows = `
  SELECT n.id, n.name AS namespace, h.audit_seq::float8 AS seq, h.audit_hash AS hash
  FROM head h JOIN namespace n ON n.id = h.namespace_id ORDER BY n.name`

/**
 * The file of the log's last byte on the disk, and how much of that file belongs to the log. A backup leaves out what no commit has
 * written there yet, such as hints of reads.
 */
const logEnd = `
  SELECT pg_walfile_name(last) AS file, mod(last - '0/0', pg_size_bytes(current_setting('wal_segment_size')))::float8 + 1 AS bytes
  FROM (SELECT pg_current_wal_flush_lsn() - 1 AS last) AS t`

const samples = `
  SELECT DISTINCT ON (u.namespace_id) n.name AS namespace, left(u.text, 400) AS words
  FROM unit u JOIN namespace n ON n.id = u.namespace_id
  WHERE u.state = 'live' AND length(u.text) > 20 AND n.deleted_at IS NULL ORDER BY u.namespace_id, u.seq DESC`

const headsOf = (rows: readonly (BackupHead & { id: string })[]): BackupHead[] =>
  rows.map(({ namespace, seq, hash }) => ({ namespace, seq, hash }))

/** What a backup asks of the embedded database. */
export function createSnapshots(pool: Pool, { hasSpace, holdMaintenance }: Deps) {
  let isHeld = false

  const mark = async (first: string) => {
    // One client for all of it: no other statement comes between, because the pool has no second one.
    const client = await pool.connect()
    try {
      // A commit writes the log up to itself to the disk.
      await client.query(`SELECT pg_logical_emit_message(true, 'backup', '')`)
      const asOf = Date.now()
      const [end] = await rowsOf(client, { file: text, bytes: float }, logEnd)
      const [counted] = await rowsOf(client, rowCounts, keptCounts)
      if (!end || !counted) throw new Error('the catalog could not be counted')
      const heads = await rowsOf(client, headColumns, headRows)
      return {
        asOf,
        counts: counted,
        heads: headsOf(heads),
        logs: Object.fromEntries(heads.map(({ id, seq }) => [id, seq])),
        log: { first, last: end.file, lastBytes: end.bytes },
      }
    } finally {
      client.release()
    }
  }

  const release = async () => {
    isHeld = false
    await holdMaintenance(false)
  }

  return {
    isHeld: () => isHeld,
    /** Makes a checkpoint and holds off the next one, so that the files can be copied. Throws while another hold lasts. */
    async hold(): Promise<BackupHold> {
      if (isHeld) throw new OperatorError('another backup of these data is being made; wait for its end')
      // A checkpoint on a full disk would end the database.
      if (!hasSpace()) throw new OperatorError('the disk of the data directory is full; free some space')
      isHeld = true
      try {
        await holdMaintenance(true)
        // Otherwise the statistics lag behind by up to a second.
        await pool.query('SELECT pg_stat_force_next_flush()')
        for (const { name } of await rowsOf(pool, { name: text }, changedTables)) {
          await pool.query(`VACUUM (ANALYZE) ${name}`)
        }
        // The log that is copied then begins in a new file.
        await pool.query('SELECT pg_switch_wal()')
        await pool.query('CHECKPOINT')
        const [begin] = await rowsOf(pool, { file: text }, 'SELECT redo_wal_file AS file FROM pg_control_checkpoint()')
        if (!begin) throw new Error('the database does not name its checkpoint')
        return { mark: () => mark(begin.file), release }
      } catch (error) {
        await release()
        throw error
      }
    },
    /** Counts the rows themselves, for a comparison with the counts of a moment. */
    async recount() {
      const [counted] = await rowsOf(pool, rowCounts, ownCounts)
      if (!counted) throw new Error('the catalog could not be counted')
      return { counts: counted, heads: await rowsOf(pool, headColumns, headRows) }
    },
    /** The beginning of a live Unit's text of each namespace that has one, by its name. */
    async sampleTexts() {
      const rows = await rowsOf(pool, { namespace: text, words: text }, samples)
      return new Map(rows.map(({ namespace, words }) => [namespace, words]))
    },
  }
}
