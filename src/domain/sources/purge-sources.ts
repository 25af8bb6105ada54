import { setTimeout as sleep } from 'node:timers/promises'
import type { BackgroundTask, BackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'clock'>

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
export async function unlessStopped(work: Promise<number>, stopping: AbortSignal): Promise<number> {
  const { promise: stopped, resolve } = Promise.withResolvers<number>()
  const stop = () => resolve(0)
  stopping.addEventListener('abort', stop)
  return Promise.race([work, stopped]).finally(() => stopping.removeEventListener('abort', stop))
}
