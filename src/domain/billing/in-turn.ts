import { billingUnavailable } from '../../errors.ts'
import type { Catalog } from '../../ports/catalog/catalog.ts'

/** Runs work of one key one after the other. */
export function createInTurn() {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.catch(() => {}).then(work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}

/** Runs it unless another replica runs work of this name just now: that is 503, and may be tried again. */
export async function onOneReplica<T extends object>(
  { catalog }: { catalog: Pick<Catalog, 'withClusterLock'> },
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!catalog.withClusterLock) return work()
  const done = await catalog.withClusterLock(name, work)
  if (done === null) throw billingUnavailable()
  return done
}
