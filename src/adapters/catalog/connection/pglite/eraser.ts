import type { Pool } from 'pg'

/** The tables that hold what Units are made of. */
const tables = ['unit', 'unit_vector', 'document']

/** One pass serves all deletions of this long. */
const intervalMs = 15_000

/** Removes the bytes of hard-deleted rows from the database's files. */
export interface Eraser {
  /** Rows were hard-deleted. */
  request(): void
  /** Removes their bytes when it is time; says whether it did. */
  runWhenDue(): Promise<boolean>
  /** Removes those that were requested, before the database closes. */
  finish(): Promise<void>
}

/**
 * VACUUM gives the space of deleted rows free, the checkpoint writes their pages without it (`clear-free-space.ts`), and
 * removes the files of the write-ahead log before the one that was begun just now. A process that was killed may have
 * left deletions behind, so the first pass needs no request. On a full disk a checkpoint ends the database: it waits.
 */
export function createEraser(pool: Pool, mayWrite: () => boolean): Eraser {
  let requested = false
  let pending = true
  let lastRun = performance.now()
  const run = async () => {
    const before = { requested, pending }
    // What is deleted from here on may be too late for this pass.
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
    request: () => {
      requested = true
      pending = true
    },
    runWhenDue: async () => {
      if (!pending || performance.now() - lastRun < intervalMs || !mayWrite()) return false
      await run()
      return true
    },
    finish: async () => {
      if (requested && mayWrite()) await run()
    },
  }
}
