import type { SourceWriter } from '../../../ports/catalog/source-links.ts'
import type { Db } from '../database/db.ts'
import { purgeUnnamed } from '../sql/sources/unnamed.ts'

export function createSourceWriter(db: Db, namespaceId: string): SourceWriter {
  return {
    insert: async ({ content, ...source }) => {
      await db.source.create({ data: { ...source, ...content, unnamedSince: source.createdAt, namespaceId } })
    },
    insertUpload: async (upload) => {
      await db.upload.create({ data: { ...upload, namespaceId } })
    },
    endUpload: async (hash, sourceId) => {
      // The source has the name from here on, and goes with it.
      const ended = { where: { hash, namespaceId, sourceId: null }, data: { sourceId, name: null } }
      return (await db.upload.updateMany(ended)).count > 0
    },
    insertLink: async (link) => {
      await db.sourceLink.create({ data: { ...link, namespaceId } })
    },
    useLink: async (hash, now) =>
      (await db.sourceLink.updateMany({ where: { hash, namespaceId, usedAt: null }, data: { usedAt: now } })).count > 0,
    uploadedBy: async (principalId, keyHash, uris) => {
      const own = { namespaceId, createdBy: principalId, uri: { in: [...uris] } }
      const where = keyHash === null ? own : { ...own, uploadedWith: keyHash }
      return (await db.source.findMany({ where, select: { uri: true } })).map(({ uri }) => uri)
    },
    purgeUnnamed: (sourceIds, now) => purgeUnnamed(db, namespaceId, sourceIds, now),
  }
}
