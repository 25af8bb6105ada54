import type { Snapshots } from '../../adapters/catalog/connection/pglite/snapshots.ts'
import type { BackupHold } from '../../model/backup.ts'
import type { DeletionGate } from './deletion-gate.ts'

/** How long deletions wait for a backup that does not go on. */
const maxWaitMs = 10_000

/** A hold on the database and, from the mark on, on deletions of sources. Releasing it twice is fine. */
export async function holdData(snapshots: Snapshots, gate?: DeletionGate): Promise<BackupHold> {
  const hold = await snapshots.hold()
  let timer: NodeJS.Timeout | undefined
  let isReleased = false
  const release = async () => {
    if (isReleased) return
    isReleased = true
    clearTimeout(timer)
    gate?.open()
    await hold.release()
  }
  return {
    async mark() {
      await gate?.close()
      timer = setTimeout(() => void release(), maxWaitMs)
      if (isReleased) throw new Error('the backup was given up')
      return hold.mark()
    },
    release,
  }
}
