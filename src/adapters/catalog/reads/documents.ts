import type { DocumentReader } from '../../../ports/catalog/documents.ts'
import type { Db } from '../database/db.ts'
import { listDocuments } from '../sql/documents/list.ts'
import { toRecord } from '../sql/documents/record.ts'
import { documentRuns } from '../sql/documents/runs.ts'
import { vectorsOfDocument } from '../sql/documents/vectors.ts'

export function createDocumentReader(db: Db): DocumentReader {
  return {
    ...documentRuns(db),
    list: (visibility, principalId, filter, page) => listDocuments(db, visibility, principalId, filter, page),
    children: async (namespaceId, parentId) =>
      (await db.ingestedDocument.findMany({ where: { namespaceId, parentId } })).map(toRecord),
    vectors: (...wanted) => vectorsOfDocument(db, ...wanted),
    source: (namespaceId, uri, createdBy) =>
      db.source.findFirst({
        where: { namespaceId, uri, createdBy, purgeRequestedAt: null },
        select: { id: true, uri: true, mime: true, bytes: true, sha256: true },
      }),
  }
}
