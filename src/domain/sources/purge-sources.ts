import { setTimeout as sleep } from 'node:timers/promises'
import { type BackgroundTask, type BackgroundWork, every } from '../background/background.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'clock'> & Pick<DomainSettings, 'sweeping'>

/** Object keys contain only immutable ids. */
export const sourceKey = (namespaceId: string, sourceId: string): string => `${namespaceId}/${sourceId}`

/** The text of a source whose text is not the file itself. */
export const textKey = (namespaceId: string, sourceId: string): string => `${sourceKey(namespaceId, sourceId)}/text`

/** How long a response waits for the purge. */
const timeoutMs = 2000

/** Removes the bytes of sources whose purge was committed. Repeating it is harmless, so a crash only delays it. */
export function purgeSources({ catalog, objects, clock }: Deps): BackgroundTask {
  const purge = async () => {
    const waiting = await catalog.sources.awaitingPurge(1000)
    for (const { namespaceId, id } of waiting) {
      await objects.delete(textKey(namespaceId, id))
      await objects.delete(sourceKey(namespaceId, id))
      await catalog.sources.markPurged(namespaceId, id, clock.now())
    }
    return waiting.length
  }
  return { name: 'purge sources', run: (stopping) => unlessStopped(purge(), stopping) }
}

/** Purges now. Resolves when that has ended, even with an error, or on timeout: then it continues in the background. */
export async function purgeNow(purging: BackgroundWork): Promise<void> {
  const timer = new AbortController()
  const late = sleep(timeoutMs, null, { signal: timer.signal }).catch(() => {})
  purging.kick()
  await Promise.race([purging.idle(), late])
  timer.abort()
}

/** A store that does not respond must not block shutdown. */
async function unlessStopped(work: Promise<number>, stopping: AbortSignal): Promise<number> {
  const { promise: stopped, resolve } = Promise.withResolvers<number>()
  const stop = () => resolve(0)
  stopping.addEventListener('abort', stop)
  return Promise.race([work, stopped]).finally(() => stopping.removeEventListener('abort', stop))
}

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
