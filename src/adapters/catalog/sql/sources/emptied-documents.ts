import type { Db } from '../../database/db.ts'
import { requestSourcePurge } from './purge.ts'

/**
 * Removes those of these documents that are done and have no Unit left, not even a deleted one. Returns their sources
 * that nothing names any more.
 */
export async function removeEmptied(
  db: Db,
  namespaceId: string,
  documentIds: readonly string[],
  now: number,
): Promise<string[]> {
  if (documentIds.length === 0) return []
  const held = await db.unit.findMany({
    where: { namespaceId, documentId: { in: [...documentIds] }, state: { not: 'purged' } },
    distinct: ['documentId'],
    select: { documentId: true },
  })
  const kept = new Set(held.map(({ documentId }) => documentId))
  const documentId = { in: documentIds.filter((id) => !kept.has(id)) }
  const done = { namespaceId, documentId, status: { in: ['ready', 'failed'] } }
  const removed = await db.ingestedDocument.findMany({
    where: done,
    select: { sourceUri: true, foundSourceUri: true, writer: true, parentId: true },
  })
  await db.ingestedDocument.deleteMany({ where: done })
  const purged: string[] = []
  for (const [writer, documents] of Map.groupBy(removed, (document) => document.writer)) {
    const uris = documents.flatMap(({ sourceUri, foundSourceUri }) => [sourceUri, foundSourceUri ?? sourceUri])
    purged.push(...(await purgeSourcesOf(db, namespaceId, writer, uris, now)))
  }
  return [...purged, ...(await removeEmptied(db, namespaceId, await withoutInside(db, namespaceId, removed), now))]
}

/** The documents that these were in, and that have nothing inside any more. */
async function withoutInside(
  db: Db,
  namespaceId: string,
  removed: readonly { parentId: string | null }[],
): Promise<string[]> {
  const parents = [...new Set(removed.flatMap(({ parentId }) => parentId ?? []))]
  if (parents.length === 0) return []
  const left = await db.ingestedDocument.findMany({
    where: { namespaceId, parentId: { in: parents } },
    distinct: ['parentId'],
    select: { parentId: true },
  })
  const held = new Set(left.map(({ parentId }) => parentId))
  return parents.filter((id) => !held.has(id))
}

/** Purges the sources of a writer with these URIs where nothing names them any more. */
export async function purgeSourcesOf(
  db: Db,
  namespaceId: string,
  createdBy: string,
  uris: readonly string[],
  now: number,
): Promise<string[]> {
  const sources = await db.source.findMany({
    where: { namespaceId, createdBy, uri: { in: [...uris] } },
    select: { id: true },
  })
  return requestSourcePurge(
    db,
    namespaceId,
    sources.map(({ id }) => id),
    now,
  )
}
