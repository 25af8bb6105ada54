import type { Snapshots } from '../adapters/catalog/connection/pglite/snapshots.ts'
import type { BackupHold } from '../model/backup.ts'
import type { ObjectStore } from '../ports/stores/object-store.ts'

/** A store whose deletions can wait while its files are copied. */
export interface DeletionGate {
  store: ObjectStore
  /** Resolves when no deletion runs. Later ones wait until `open`. */
  close(): Promise<void>
  open(): void
}

export function createDeletionGate(objects: ObjectStore): DeletionGate {
  const running = new Set<Promise<void>>()
  let closed: PromiseWithResolvers<void> | null = null
  const store: ObjectStore = {
    engine: objects.engine,
    put: (key, bytes) => objects.put(key, bytes),
    putStream: (key, chunks, bytes) => objects.putStream(key, chunks, bytes),
    get: (key) => objects.get(key),
    open: (key, range) => objects.open(key, range),
    ping: () => objects.ping(),
    async delete(key) {
      await closed?.promise
      const deleting = objects.delete(key)
      running.add(deleting)
      await deleting.finally(() => running.delete(deleting))
    },
  }
  return {
    store,
    async close() {
      closed ??= Promise.withResolvers()
      await Promise.allSettled(running)
    },
    open() {
      closed?.resolve()
      closed = null
    },
  }
}

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
