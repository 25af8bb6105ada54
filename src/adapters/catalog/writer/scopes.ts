import type { NamespaceWriter } from '../../../ports/namespace-writer.ts'
import { bool, text } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { select } from '../database/select.ts'
import { Prisma } from '../generated/client.ts'
import { toScope } from '../units/scope-rows.ts'
import type { Head } from './head.ts'

/** The path itself and everything below it. `starts_with` takes no pattern, so no character of a path is special. */
const subtree = (column: Prisma.Sql, path: string) =>
  Prisma.sql`(${column} = ${path} OR starts_with(${column}, ${`${path}/`}))`

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
      await db.$executeRaw`
        UPDATE scope SET parent = ${scope} WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL
          AND starts_with(path, ${`${scope}/`}) AND (parent IS NULL OR starts_with(${scope}, parent || '/'))`
    },

    update: async ({ id, parent, planes, readOnlyAgents }) => {
      await db.scope.update({
        where: { namespaceId_id: { namespaceId, id } },
        data: { parent, planes: [...planes], readOnlyAgents },
      })
    },

    hasGrantBelow: async (path, now) => {
      const [row] = await select(db, { found: bool })`
        SELECT EXISTS (SELECT FROM "grant"
          WHERE namespace_id = ${namespaceId} AND starts_with(scope, ${`${path}/`})
            AND (expires_at IS NULL OR expires_at > ${now}::bigint)) AS found`
      return row?.found ?? false
    },

    remove: async (path, now) => ({
      scopes: await db.$executeRaw`
        UPDATE scope SET deleted_at = ${now}::bigint
        WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL AND ${subtree(Prisma.sql`path`, path)}`,
      grants: await db.$executeRaw`
        DELETE FROM "grant" WHERE namespace_id = ${namespaceId} AND ${subtree(Prisma.sql`scope`, path)}`,
    }),

    unsweptUnits: async (limit, now) => {
      const units = await select(db, { unit_id: text })`
        SELECT u.unit_id FROM unit u JOIN scope s ON s.namespace_id = u.namespace_id AND s.id = u.scope_id
        WHERE u.namespace_id = ${namespaceId} AND u.state = 'live'
          AND s.deleted_at IS NOT NULL AND s.swept_at IS NULL
        ORDER BY u.seq LIMIT ${limit}`
      if (units.length === 0) {
        await db.scope.updateMany({
          where: { namespaceId, deletedAt: { not: null }, sweptAt: null },
          data: { sweptAt: now },
        })
      }
      return units.map((row) => row.unit_id)
    },
  }
}
