/** Tells watchers in this process that a document of a namespace has changed. Others find out by asking. */
export interface DocumentChanges {
  changed(namespaceId: string): void
  /** Calls the listener with each change; returns how to stop it. */
  listen(namespaceId: string, listener: () => void): () => void
}

export function createDocumentChanges(): DocumentChanges {
  const listeners = new Map<string, Set<() => void>>()
  return {
    changed: (namespaceId) => {
      for (const listener of listeners.get(namespaceId) ?? []) listener()
    },
    listen: (namespaceId, listener) => {
      const all = listeners.get(namespaceId) ?? new Set()
      listeners.set(namespaceId, all.add(listener))
      return () => {
        all.delete(listener)
        if (all.size === 0 && listeners.get(namespaceId) === all) listeners.delete(namespaceId)
      }
    },
  }
}
