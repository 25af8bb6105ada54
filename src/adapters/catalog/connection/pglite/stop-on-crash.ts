import type { PGlite } from '@electric-sql/pglite'

/** The exit status with which PGlite reports a normal SQL error (pglitec.c, POSTGRES_MAIN_LONGJMP). */
const sqlError = 100

/**
 * PGlite catches everything that the backend throws and continues. That is right for an SQL error and wrong for
 * anything else. After a panic (for example a failed fsync) or a trap, memory no longer agrees with the disk and must
 * not serve another query.
 */
export function stopOnCrash(database: PGlite, stop: (error: unknown) => never): void {
  const backend = database.Module
  const run = backend._PostgresMainLoopOnce
  backend._PostgresMainLoopOnce = () => {
    try {
      run()
    } catch (error) {
      if (!isSqlError(error)) stop(error)
      throw error
    }
  }
}

function isSqlError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === sqlError
}
