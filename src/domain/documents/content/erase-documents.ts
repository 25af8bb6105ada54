import type { DocumentRecord } from '../../../model/document.ts'
import type { NamespaceWriter } from '../../../ports/catalog/namespace-writer.ts'

/** Units per statement. */
const batchSize = 1000

/** Hard-deletes Units, also deleted ones. Returns how many sources that purges. */
export async function purgeUnits(tx: NamespaceWriter, unitIds: readonly string[], now: number): Promise<number> {
  let sources = 0
  for (let from = 0; from < unitIds.length; from += batchSize) {
    sources += (await tx.units.purge(unitIds.slice(from, from + batchSize), now)).sources.length
  }
  return sources
}

/** Removes documents for good, with their Units, sources and queued work. Returns how many sources that purges. */
export async function eraseDocuments(
  tx: NamespaceWriter,
  documents: readonly DocumentRecord[],
  now: number,
): Promise<number> {
  const unitIds: string[] = []
  for (const { documentId } of documents) {
    unitIds.push(...(await tx.ingested.units(documentId)).map(({ unitId }) => unitId))
  }
  // The documents first: while they are there, their sources are needed.
  await tx.ingested.remove(documents.map(({ documentId }) => documentId))
  let sources = await purgeUnits(tx, unitIds, now)
  for (const [writer, own] of Map.groupBy(documents, (document) => document.writer)) {
    const uris = own.flatMap(({ sourceUri, found }) => [sourceUri, found?.sourceUri ?? sourceUri])
    sources += (await tx.ingested.purgeSources([...new Set(uris)], writer, now)).length
  }
  return sources
}
