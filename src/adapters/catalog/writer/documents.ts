import type { DocumentRecord } from '../../../model/document.ts'
import type { DocumentWriter } from '../../../ports/catalog/documents.ts'
import type { Db } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import { toRecord } from '../sql/documents/record.ts'
import { unitsOfDocument } from '../sql/documents/units.ts'
import type { Head } from '../sql/head.ts'
import { purgeSourcesOf } from '../sql/sources/emptied-documents.ts'

/** Levels of documents inside of documents, with one to spare. */
const maxLevels = 6

export function createDocumentWriter(db: Db, head: Head): DocumentWriter {
  const namespaceId = head.namespace.id

  const read = async (where: Prisma.IngestedDocumentWhereInput): Promise<DocumentRecord[]> =>
    (await db.ingestedDocument.findMany({ where: { ...where, namespaceId }, orderBy: { docId: 'asc' } })).map(toRecord)

  const get = (documentIds: readonly string[]) => read({ documentId: { in: [...documentIds] } })

  const having = async (documentIds: readonly string[], units: Prisma.UnitWhereInput): Promise<Set<string>> => {
    const rows = await db.unit.findMany({
      where: { ...units, namespaceId, documentId: { in: [...documentIds] } },
      distinct: ['documentId'],
      select: { documentId: true },
    })
    return new Set(rows.flatMap(({ documentId }) => documentId ?? []))
  }

  const withUnits = async (documentIds: readonly string[], levels = maxLevels): Promise<Set<string>> => {
    const live = await having(documentIds, { state: 'live', scope: { deletedAt: null } })
    if (documentIds.length === live.size || levels === 0) return live
    const emptied = await having(documentIds, { state: { not: 'purged' } })
    const children = await read({ parentId: { in: documentIds.filter((id) => !emptied.has(id)) } })
    const found = await withUnits(
      children.map(({ documentId }) => documentId),
      levels - 1,
    )
    for (const child of children) {
      if (
        child.parentId !== null &&
        (child.status === 'queued' || child.status === 'running' || child.found === null || found.has(child.documentId))
      )
        live.add(child.parentId)
    }
    return live
  }

  return {
    find: (scopeId, writer, docIds) => read({ scopeId, writer, docId: { in: [...docIds] } }),
    get,

    withChildren: async (documentIds) => {
      const all = await get(documentIds)
      let level = all
      for (let depth = 0; level.length > 0 && depth < maxLevels; depth += 1) {
        const known = new Set(all.map(({ documentId }) => documentId))
        const inside = await read({ parentId: { in: level.map(({ documentId }) => documentId) } })
        level = inside.filter(({ documentId }) => !known.has(documentId))
        all.push(...level)
      }
      return all
    },

    put: async ({ found, documentId, namespaceId: _, ...document }, dueAt) => {
      const data = {
        ...document,
        dueAt,
        aclGroups: [...document.aclGroups],
        metadata: document.metadata as Prisma.InputJsonObject,
        found: found ? ({ ...found } as Prisma.InputJsonObject) : Prisma.DbNull,
        foundSourceUri: found?.sourceUri ?? null,
        // A run of what was sent before may not write any more.
        heldBy: '',
        heldUntil: 0,
      }
      await db.ingestedDocument.upsert({
        where: { namespaceId_documentId: { namespaceId, documentId } },
        create: { ...data, namespaceId, documentId },
        update: data,
      })
    },

    setFound: async (documentId, found, textDueAt) => {
      await db.ingestedDocument.update({
        where: { namespaceId_documentId: { namespaceId, documentId } },
        data: {
          found: { ...found } as Prisma.InputJsonObject,
          foundSourceUri: found.sourceUri,
          mime: found.mime,
          force: false,
          textDueAt,
        },
      })
    },

    held: async ({ documentId, version, holder }) => {
      const { count } = await db.ingestedDocument.updateMany({
        where: { namespaceId, documentId, version, heldBy: holder },
        data: { heldBy: holder },
      })
      return count > 0
    },

    remove: async (documentIds) => {
      // Their names go from the database's files, too.
      head.purged ||= documentIds.length > 0
      await db.ingestedDocument.deleteMany({ where: { namespaceId, documentId: { in: [...documentIds] } } })
    },
    purgeSources: (uris, writer, now) => purgeSourcesOf(db, namespaceId, writer, uris, now),
    units: (documentId) => unitsOfDocument(db, namespaceId, documentId),

    take: async (documentId, unitIds) => {
      await db.unit.updateMany({
        where: {
          namespaceId,
          unitId: { in: [...unitIds] },
          OR: [{ documentId: null }, { documentId: { not: documentId } }],
        },
        data: { documentId },
      })
    },

    withUnits: (documentIds) => withUnits(documentIds),
  }
}
