import { holdOfService } from '../adapters/backup-fs/control-socket.ts'
import type { Snapshot } from '../adapters/backup-fs/format.ts'
import { makeRepository } from '../adapters/backup-fs/repository.ts'
import { takeSnapshot } from '../adapters/backup-fs/take-snapshot.ts'
import { openEmbeddedSnapshots } from '../adapters/catalog/connection/connect.ts'
import { DataDirectoryLockedError, lockFolder } from '../adapters/catalog/connection/pglite/lock.ts'
import type { BackupHold } from '../model/backup.ts'
import { OperatorError } from '../model/operator-error.ts'
import { holdData } from './hold.ts'

interface Task {
  to: string
  dataDir: string
  keys: boolean
  /** How many snapshots stay; null keeps all. */
  keep: number | null
}

/** Adds a snapshot to the backup in `to`. Errors: `BackupRefusedError`, and `OperatorError` for data out of reach. */
export async function backUp({ to, dataDir, keys, keep }: Task): Promise<Snapshot> {
  const repository = await makeRepository(to)
  // Another backup could remove objects that this one uses again.
  const lock = lockFolder(
    repository.path,
    () => new OperatorError(`another backup writes to ${repository.path}; wait for its end`),
  )
  try {
    const { hold, close } = await openHold(dataDir)
    try {
      const snapshot = await takeSnapshot(repository, hold, { dataDir, keys, now: Date.now })
      if (keep !== null) await repository.prune(keep)
      return snapshot
    } finally {
      await close()
    }
  } finally {
    lock.release()
  }
}

/** How often a service that is just starting or stopping is looked for. */
const tries = 20
const pauseMs = 250

async function openHold(dataDir: string): Promise<{ hold: BackupHold; close(): Promise<void> }> {
  for (let i = 1; ; i += 1) {
    const served = await holdOfService(dataDir)
    if (served) return { hold: served, close: async () => served.end() }
    try {
      const stopped = await holdOfStopped(dataDir)
      return { hold: stopped, close: stopped.close }
    } catch (error) {
      if (!(error instanceof DataDirectoryLockedError) || i === tries) throw error
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
}

/** The hold on data that no service uses: this process opens them, and no other one can until `close`. */
async function holdOfStopped(dataDir: string): Promise<BackupHold & { close(): Promise<void> }> {
  const { snapshots, close } = await openEmbeddedSnapshots(dataDir)
  try {
    return { ...(await holdData(snapshots)), close }
  } catch (error) {
    await close()
    throw error
  }
}
