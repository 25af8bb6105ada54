import type { Scope } from '../../../model/registry.ts'
import { bool } from '../database/columns.ts'
import { type Db, toNumber } from '../database/db.ts'
import { toPlanes } from '../database/words.ts'
import { Prisma } from '../generated/client.ts'
import type { Head } from './head.ts'
import { select } from './select.ts'
import { purgeSourcesOf } from './sources.ts'

/** The path itself and everything below it. `starts_with` takes no pattern, so no character of a path is special. */
const subtree = (column: Prisma.Sql, path: string) =>
  Prisma.sql`(${column} = ${path} OR starts_with(${column}, ${`${path}/`}))`

/** Makes a new scope the parent of the scopes below it whose parent is above it. */
async function adoptBelow(db: Db, namespaceId: string, scope: string): Promise<void> {
  await db.$executeRaw`
    UPDATE scope SET parent = ${scope} WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL
      AND starts_with(path, ${`${scope}/`}) AND (parent IS NULL OR starts_with(${scope}, parent || '/'))`
}

/** Those whose tombstoned Units still have content. */
const unerased = { deletedAt: { not: null }, sweptAt: { not: null }, erasedAt: null }

/** Deleted scopes that still have Units. */
const unswept = { deletedAt: { not: null }, sweptAt: null }

export function createScopeWriter(db: Db, head: Head) {
  const namespaceId = head.namespace.id
  return {
    list: async (): Promise<Scope[]> => {
      const rows = await db.scope.findMany({ where: { namespaceId, deletedAt: null }, orderBy: { path: 'asc' } })
      return rows.map((row) => toScope(row, head.namespace.name))
    },

    insert: async ({ id, scope, parent, planes, readOnlyAgents, createdAt }: Omit<Scope, 'namespace'>) => {
      await db.scope.create({
        data: { namespaceId, id, path: scope, parent, planes: [...planes], readOnlyAgents, createdAt },
      })
      // It may be inserted between scopes below it and their nearest ancestor so far.
      await adoptBelow(db, namespaceId, scope)
    },

    update: async ({
      id,
      parent,
      planes,
      readOnlyAgents,
    }: Pick<Scope, 'id' | 'parent' | 'planes' | 'readOnlyAgents'>) => {
      await db.scope.update({
        where: { namespaceId_id: { namespaceId, id } },
        data: { parent, planes: [...planes], readOnlyAgents },
      })
    },

    /** True when a grant on a path below this one is valid at `now`. */
    hasGrantBelow: async (path: string, now: number) => {
      const [row] = await select(db, { found: bool })`
        SELECT EXISTS (SELECT FROM "grant"
          WHERE namespace_id = ${namespaceId} AND starts_with(scope, ${`${path}/`})
            AND (expires_at IS NULL OR expires_at > ${now}::bigint)) AS found`
      return row?.found ?? false
    },

    /**
     * Logical: marks the scopes of the subtree as deleted, deletes the grants on them, and revokes invitations, at once. Returns how
     * many. The sweeper removes their Units.
     */
    remove: async (path: string, now: number): Promise<{ scopes: number; grants: number }> => {
      await db.$executeRaw`
        UPDATE invitation SET revoked_at = ${now}::bigint
        WHERE namespace_id = ${namespaceId} AND revoked_at IS NULL AND accepted_at IS NULL
          AND ${subtree(Prisma.sql`scope`, path)}`
      return {
        scopes: await db.$executeRaw`
          UPDATE scope SET deleted_at = ${now}::bigint
          WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL AND ${subtree(Prisma.sql`path`, path)}`,
        grants: await db.$executeRaw`
          DELETE FROM "grant" WHERE namespace_id = ${namespaceId} AND ${subtree(Prisma.sql`scope`, path)}`,
      }
    },

    /** Up to `limit` live Units of deleted scopes; marks empty deleted scopes as swept. */
    unsweptUnits: async (limit: number, now: number): Promise<string[]> => {
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

    /**
     * Up to `limit` tombstoned Units of deleted scopes. Removes the documents of the scopes that have none, requests the
     * purge of their sources, and marks the scopes as erased.
     */
    unerasedUnits: async (limit: number, now: number): Promise<string[]> => {
      const units = await db.unit.findMany({
        where: { namespaceId, state: { not: 'purged' }, scope: unerased },
        orderBy: { seq: 'asc' },
        take: limit,
        select: { unitId: true },
      })
      if (units.length === 0) {
        await removeDocuments(db, head, now)
        await db.scope.updateMany({ where: { namespaceId, ...unerased }, data: { erasedAt: now } })
      }
      return units.map(({ unitId }) => unitId)
    },
  }
}

/** Of scopes that are erased: those that never had a Unit, too. */
async function removeDocuments(db: Db, head: Head, now: number): Promise<void> {
  const namespaceId = head.namespace.id
  const where = { namespaceId, scope: unerased }
  const documents = await db.ingestedDocument.findMany({
    where,
    select: { writer: true, sourceUri: true, foundSourceUri: true },
  })
  await db.ingestedDocument.deleteMany({ where })
  for (const [writer, all] of Map.groupBy(documents, (document) => document.writer)) {
    const uris = all.flatMap(({ sourceUri, foundSourceUri }) => [sourceUri, foundSourceUri ?? sourceUri])
    await purgeSourcesOf(db, head, writer, uris, now)
  }
}

export interface ScopeRecord {
  id: string
  path: string
  parent: string | null
  planes: string[]
  readOnlyAgents: boolean
  createdAt: bigint | number
}

export const toScope = (row: ScopeRecord, namespace: string): Scope => ({
  id: row.id,
  scope: row.path,
  namespace,
  parent: row.parent,
  planes: toPlanes(row.planes),
  readOnlyAgents: row.readOnlyAgents,
  createdAt: toNumber(row.createdAt),
})
