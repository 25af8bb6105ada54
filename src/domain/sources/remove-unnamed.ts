import type { BackgroundTask } from '../background/background.ts'
import { every } from '../background/every.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { sourceKey, unlessStopped } from './purge-sources.ts'

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'clock'> & Pick<DomainSettings, 'sweeping'>

/** An upload that began before the end of its link has ended by then. */
const dayMs = 24 * 3_600_000
const pageSize = 500

/** Removes uploads that nothing names for a time, those of deleted namespaces, and what broken uploads left. */
export function removeUnnamed({ catalog, objects, clock, sweeping }: Deps): BackgroundTask {
  const removeSources = async (now: number, stopping: AbortSignal) => {
    const times = { now, since: now - sweeping.unusedSourceMs }
    for (let after: Parameters<typeof catalog.sources.unnamed>[0] = null; !stopping.aborted; ) {
      const { due, next } = await catalog.sources.unnamed(after, pageSize, times)
      for (const [namespaceId, sources] of Map.groupBy(due, (place) => place.namespaceId)) {
        const ids = sources.map(({ id }) => id)
        // Under the lock of the namespace: no Unit can name them in the meantime.
        await catalog.transact(namespaceId, (tx) => tx.sources.purgeUnnamed(ids, now), { orDeleted: true })
      }
      if (next === null) return
      after = next
    }
  }

  const removeUploads = async (now: number) => {
    // Nothing that began before the end of the link can be under way any more.
    const ended = await catalog.sourceLinks.endedUploads(now - dayMs, pageSize)
    for (const { namespaceId, leftovers } of ended) {
      for (const id of leftovers) await objects.delete(sourceKey(namespaceId, id))
    }
    await catalog.sourceLinks.removeUploads(ended.map(({ hash }) => hash))
    return ended.length
  }

  const run = async (stopping: AbortSignal) => {
    const now = clock.now()
    await removeSources(now, stopping)
    while ((await removeUploads(now)) === pageSize && !stopping.aborted);
    await catalog.sourceLinks.removeExpired(now)
    return 0
  }

  return every(clock, sweeping.everyMs, {
    name: 'remove sources that nothing names',
    run: (stopping) => unlessStopped(run(stopping), stopping),
  })
}
