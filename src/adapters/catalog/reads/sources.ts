import type { SourceReader, StoredSource } from '../../../ports/catalog/source-links.ts'
import type { Db } from '../database/db.ts'
import { reviewUnnamed } from '../sql/sources/unnamed.ts'

/** `purged`: bytes of rows are to be removed from the database's files. */
export function createSourceReader(db: Db, purged: () => void): SourceReader {
  return {
    ofUnit: async (namespaceId, unitId) => {
      const unit = await db.unit.findUnique({
        where: { namespaceId_unitId: { namespaceId, unitId }, state: 'live' },
        select: { sourceUri: true, writer: true, sourceByWriter: true },
      })
      if (!unit?.sourceUri || unit.sourceByWriter === false) return null
      const found = await db.source.findFirst({
        where: { namespaceId, uri: unit.sourceUri, createdBy: unit.writer, purgeRequestedAt: null },
      })
      return found && toStored(found)
    },
    setContent: async (namespaceId, id, content) => {
      await db.source.update({ where: { namespaceId_id: { namespaceId, id } }, data: content })
    },
    unnamed: (after, limit, times) => reviewUnnamed(db, after, limit, times),
    awaitingPurge: (limit) =>
      db.source.findMany({
        where: { purgeRequestedAt: { not: null }, purgedAt: null },
        select: { namespaceId: true, id: true },
        take: limit,
      }),
    markPurged: async (namespaceId, id, now) => {
      // The name of a file may tell as much as the file.
      await db.source.update({ where: { namespaceId_id: { namespaceId, id } }, data: { purgedAt: now, name: null } })
      purged()
    },
  }
}

interface Found extends Omit<StoredSource, 'content'> {
  type: string | null
  charset: string | null
}

const toStored = ({ id, uri, bytes, sha256, name, type, charset }: Found): StoredSource => ({
  ...{ id, uri, bytes, sha256, name },
  content: type === null ? null : { type, charset },
})
