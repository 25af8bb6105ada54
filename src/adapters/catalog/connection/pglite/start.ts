import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import type { PoolConfig } from 'pg'
import { isComplete, prepareDirectory, unusableCatalog } from './data-directory.ts'
import { DatabaseWorker } from './database-worker.ts'
import { type DirectoryLock, lockDirectory } from './lock.ts'
import { requireOpenFiles } from './open-files.ts'
import { PortStream } from './port-stream.ts'
import { optimiseNothing } from './without-optimising.ts'

export interface EmbeddedPostgres {
  /** For `new pg.Pool(…)`. The pool has one connection, so a transaction must not wait for a second one. */
  poolConfig: PoolConfig
  /** Leaves out maintenance, with its checkpoints, or resumes it. */
  holdMaintenance(isHeld: boolean): void
  /** Ends the pool's connection if it is still open, writes everything to disk, releases the directory. */
  close(): Promise<void>
}

/**
 * Runs PostgreSQL (PGlite, in a thread) on `<dataDir>/catalog`; creates both if they don't exist.
 * Throws `DataDirectoryLockedError` when the directory is in use, and `DataUnusableError` when the directory or its
 * content cannot be used. COPY FROM STDIN and cancelling a query are not supported.
 */
export async function startPglite(options: { dataDir: string }): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  if (!isComplete(dataDir)) await createApart(dataDir)
  return locked(dataDir, async (lock) => {
    const worker = await DatabaseWorker.start(dataDir)
    return {
      poolConfig: {
        // All set explicitly, so that PG* environment variables have no effect.
        host: 'embedded',
        user: 'postgres',
        database: 'postgres',
        ssl: false,
        stream: () => worker.track(new PortStream(() => worker.connect())),
        max: 1,
        idleTimeoutMillis: 0,
      },
      holdMaintenance: (isHeld) => worker.holdMaintenance(isHeld),
      close: async () => {
        try {
          await worker.close()
        } finally {
          lock.release()
        }
      },
    }
  })
}

/**
 * Makes the catalog in a process of its own: that takes hundreds of MB, and after the end of a thread malloc would keep 40 of them. If it
 * fails, `startPglite` makes the catalog itself, or says what is wrong.
 */
async function createApart(dataDir: string): Promise<void> {
  const child = fork(new URL('./create.ts', import.meta.url), [dataDir], {
    execArgv: [optimiseNothing],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  await once(child, 'exit').catch(() => {})
}

/** Makes the catalog and closes it. Throws as `startPglite` does. */
export async function createCatalog(dataDir: string): Promise<void> {
  await locked(dataDir, async (lock) => {
    const worker = await DatabaseWorker.start(dataDir)
    await worker.close()
    lock.release()
  })
}

/** Runs `work`, which takes over the lock of the directory, unless it fails. */
async function locked<T>(dataDir: string, work: (lock: DirectoryLock) => Promise<T>): Promise<T> {
  requireOpenFiles()
  prepareDirectory(dataDir)
  const lock = lockDirectory(dataDir)
  try {
    return await work(lock)
  } catch (error) {
    lock.release()
    throw unusableCatalog(dataDir, error)
  }
}
