import type { NamespaceWriter } from '../../../ports/catalog/namespace-writer.ts'
import type { Db } from '../database/db.ts'
import { toScope } from '../database/scope-rows.ts'
import type { Head } from '../sql/head.ts'
import { adoptBelow, hasGrantBelow, removeSubtree } from '../sql/scopes.ts'
import { purgeSourcesOf } from '../sql/sources/emptied-documents.ts'

/** Those whose tombstoned Units still have content. */
const unerased = { deletedAt: { not: null }, sweptAt: { not: null }, erasedAt: null }

/** Deleted scopes that still have Units. */
const unswept = { deletedAt: { not: null }, sweptAt: null }

export function createScopeWriter(db: Db, head: Head): NamespaceWriter['scopes'] {
  const namespaceId = head.namespace.id
  return {
    list: async () => {
      const rows = await db.scope.findMany({ where: { namespaceId, deletedAt: null }, orderBy: { path: 'asc' } })
      return rows.map((row) => toScope(row, head.namespace.name))
    },

    insert: async ({ id, scope, parent, planes, readOnlyAgents, createdAt }) => {
      await db.scope.create({
        data: { namespaceId, id, path: scope, parent, planes: [...planes], readOnlyAgents, createdAt },
      })
      // It may be inserted between scopes below it and their nearest ancestor so far.
      await adoptBelow(db, namespaceId, scope)
    },

    update: async ({ id, parent, planes, readOnlyAgents }) => {
      await db.scope.update({
        where: { namespaceId_id: { namespaceId, id } },
        data: { parent, planes: [...planes], readOnlyAgents },
      })
    },

    hasGrantBelow: (path, now) => hasGrantBelow(db, namespaceId, path, now),

    remove: (path, now) => removeSubtree(db, namespaceId, path, now),

    unsweptUnits: async (limit, now) => {
      const units = await db.unit.findMany({
        where: { namespaceId, state: 'live', scope: unswept },
        orderBy: { seq: 'asc' },
        take: limit,
        select: { unitId: true },
      })
      if (units.length === 0) {
        await db.scope.updateMany({ where: { namespaceId, ...unswept }, data: { sweptAt: now } })
      }
      return units.map(({ unitId }) => unitId)
    },

    unerasedUnits: async (limit, now) => {
      const units = await db.unit.findMany({
        where: { namespaceId, state: { not: 'purged' }, scope: unerased },
        orderBy: { seq: 'asc' },
        take: limit,
        select: { unitId: true },
      })
      if (units.length === 0) {
        await removeDocuments(db, namespaceId, now)
        await db.scope.updateMany({ where: { namespaceId, ...unerased }, data: { erasedAt: now } })
      }
      return units.map(({ unitId }) => unitId)
    },
  }
}

/** Of scopes that are erased: those that never had a Unit, too. */
async function removeDocuments(db: Db, namespaceId: string, now: number): Promise<void> {
  const where = { namespaceId, scope: unerased }
  const documents = await db.ingestedDocument.findMany({
    where,
    select: { writer: true, sourceUri: true, foundSourceUri: true },
  })
  await db.ingestedDocument.deleteMany({ where })
  for (const [writer, all] of Map.groupBy(documents, (document) => document.writer)) {
    const uris = all.flatMap(({ sourceUri, foundSourceUri }) => [sourceUri, foundSourceUri ?? sourceUri])
    await purgeSourcesOf(db, namespaceId, writer, uris, now)
  }
}
