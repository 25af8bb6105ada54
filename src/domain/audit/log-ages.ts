import { LRUCache } from 'lru-cache'
import type { Namespace } from '../../model/registry.ts'
import { tiers } from '../../model/tiers.ts'
import type { Catalog } from '../../ports/catalog.ts'
import type { Clock } from '../../ports/clock.ts'

export type LogAges = ReturnType<typeof createLogAges>

const maxSigned = 10_000

/** Which audit logs have grown since their newest checkpoint, as far as this process knows. */
export function createLogAges(clock: Clock) {
  const signed = new LRUCache<string, number>({ max: maxSigned })
  const grown = new Map<string, number>()
  return {
    grew: ({ id, tier }: Namespace) => {
      if (tiers[tier].audit && !grown.has(id)) grown.set(id, signed.get(id) ?? clock.now())
    },
    /** `time` is that of its newest checkpoint, which covers all of its rows. */
    signed: (namespaceId: string, time: number) => {
      signed.set(namespaceId, time)
      grown.delete(namespaceId)
    },
    /**
     * Age in ms of the newest checkpoint of the log that has waited longest for one; 0 where none has grown. Where that
     * checkpoint is not known, it counts from the first row that was noticed.
     */
    oldest: () => {
      let oldest = clock.now()
      for (const time of grown.values()) oldest = Math.min(oldest, time)
      return clock.now() - oldest
    },
  }
}

/** The catalog; each transaction of a namespace counts as growth of its log. */
export const withLogAges = (catalog: Catalog, ages: LogAges): Catalog => ({
  ...catalog,
  transact: async (namespaceId, work, options) => {
    let namespace: Namespace | null = null
    const result = await catalog.transact(
      namespaceId,
      (tx) => {
        namespace = tx.namespace
        return work(tx)
      },
      options,
    )
    if (namespace !== null) ages.grew(namespace)
    return result
  },
})
