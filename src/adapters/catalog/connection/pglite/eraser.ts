import type { Pool } from 'pg'

/** The tables that hold the content of Units, or the names of files. */
const tables = ['unit', 'unit_vector', 'document', 'ingested_document', 'source', 'upload']

/** One pass serves all deletions of this period. */
const intervalMs = 15_000

export type Eraser = ReturnType<typeof createEraser>

/**
 * Removes the bytes of hard-deleted rows from the database's files. VACUUM frees the space of deleted rows. The checkpoint writes their pages without it (`clear-free-space.ts`) and
 * removes the write-ahead log files before the newest one. A killed process may have left deletions behind, so the
 * first pass needs no request. On a full disk a checkpoint would end the database, so the pass waits.
 */
export function createEraser(pool: Pool, mayWrite: () => boolean) {
  let requested = false
  let pending = true
  let lastRun = performance.now()
  let running: Promise<void> = Promise.resolve()
  const run = () => {
    running = pass()
    return running
  }
  const pass = async () => {
    const before = { requested, pending }
    // This pass may miss rows that are deleted from here on.
    requested = false
    pending = false
    lastRun = performance.now()
    try {
      for (const table of tables) await pool.query(`VACUUM (INDEX_CLEANUP ON) ${table}`)
      await pool.query('SELECT pg_switch_wal()')
      await pool.query('CHECKPOINT')
    } catch (error) {
      requested ||= before.requested
      pending ||= before.pending
      throw error
    }
  }
  return {
    /** Rows were hard-deleted. */
    request: () => {
      requested = true
      pending = true
    },
    /** Removes the bytes if a pass is due; returns whether it ran. */
    runWhenDue: async () => {
      if (!pending || performance.now() - lastRun < intervalMs || !mayWrite()) return false
      await run()
      return true
    },
    /** Removes the requested ones before the database closes. */
    finish: async () => {
      if (requested && mayWrite()) await run()
    },
    /** Resolves when no pass runs. */
    idle: () => running.catch(() => {}),
  }
}
