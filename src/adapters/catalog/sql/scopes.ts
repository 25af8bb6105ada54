import { bool } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import { select } from './select.ts'

/** The path itself and everything below it. `starts_with` takes no pattern, so no character of a path is special. */
const subtree = (column: Prisma.Sql, path: string) =>
  Prisma.sql`(${column} = ${path} OR starts_with(${column}, ${`${path}/`}))`

/** Makes a new scope the parent of the scopes below it whose parent is above it. */
export async function adoptBelow(db: Db, namespaceId: string, scope: string): Promise<void> {
  await db.$executeRaw`
    UPDATE scope SET parent = ${scope} WHERE namespace_id = ${namespaceId} AND deleted_at IS NULL
      AND starts_with(path, ${`${scope}/`}) AND (parent IS NULL OR starts_with(${scope}, parent || '/'))`
}

/** Whether a grant on a scope below the path counts now. */
export async function hasGrantBelow(db: Db, namespaceId: string, path: string, now: number): Promise<boolean> {
  const [row] = await select(db, { found: bool })`
    SELECT EXISTS (SELECT FROM "grant"
      WHERE namespace_id = ${namespaceId} AND starts_with(scope, ${`${path}/`})
        AND (expires_at IS NULL OR expires_at > ${now}::bigint)) AS found`
  return row?.found ?? false
}

/** Marks the scopes of the subtree as deleted, and deletes the grants on them; returns how many. Revokes invitations. */
export async function removeSubtree(
  db: Db,
  namespaceId: string,
  path: string,
  now: number,
): Promise<{ scopes: number; grants: number }> {
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
}
