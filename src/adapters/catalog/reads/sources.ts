import type { SourceReader } from '../../../ports/catalog/catalog.ts'
import type { Db } from '../database/db.ts'

export function createSourceReader(db: Db): SourceReader {
  return {
    awaitingPurge: (limit) =>
      db.source.findMany({
        where: { purgeRequestedAt: { not: null }, purgedAt: null },
        select: { namespaceId: true, id: true },
        take: limit,
      }),
    markPurged: async (namespaceId, id, now) => {
      await db.source.update({ where: { namespaceId_id: { namespaceId, id } }, data: { purgedAt: now } })
    },
  }
}
