import type { Bindings } from '../deps.ts'

type Deps = Pick<Bindings, 'catalog' | 'objects' | 'clock'>

/** Object keys are made of immutable ids only. */
export const sourceKey = (namespaceId: string, sourceId: string): string => `${namespaceId}/${sourceId}`

/** Removes the bytes of sources whose purge was committed. Doing it twice is harmless, so a crash only delays it. */
export async function purgeSources({ catalog, objects, clock }: Deps): Promise<number> {
  const waiting = await catalog.sources.awaitingPurge(1000)
  for (const { namespaceId, id } of waiting) {
    await objects.delete(sourceKey(namespaceId, id))
    await catalog.sources.markPurged(namespaceId, id, clock.now())
  }
  return waiting.length
}
