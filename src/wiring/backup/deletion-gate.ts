import type { ObjectStore } from '../../ports/stores/object-store.ts'

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
