import { bigint, integer } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { select } from './select.ts'

/** See `UsageStore.storage`. Sums of bytes exceed the integers that Prisma sums. */
export async function storageOf(db: Db, namespaceId: string): Promise<{ sourceBytes: number; rows: number }> {
  const [row] = await select(db, { bytes: bigint, rows: bigint })`
    SELECT
      (SELECT coalesce(sum(bytes), 0)::bigint FROM source
         WHERE namespace_id = ${namespaceId} AND purge_requested_at IS NULL) AS bytes,
      (SELECT coalesce(sum(c.units), 0)::bigint
         FROM unit_count c JOIN scope s ON s.namespace_id = c.namespace_id AND s.id = c.scope_id
         WHERE c.namespace_id = ${namespaceId} AND s.deleted_at IS NULL) AS rows`
  return { sourceBytes: Number(row?.bytes ?? 0), rows: Number(row?.rows ?? 0) }
}

/** See `NamespaceClaims.countRegistered`. */
export async function countRegistered(db: Db, homeId: string, exceptId: string): Promise<number> {
  const [row] = await select(db, { count: integer })`
    SELECT count(*)::int AS count FROM namespace n
    WHERE n.registered AND n.deleted_at IS NULL AND n.id <> ${exceptId} AND (n.id = ${homeId}
      OR n.owner IN (SELECT principal_id FROM principal WHERE namespace_id = ${homeId})
      OR n.owner = (SELECT owner FROM namespace WHERE id = ${homeId}))`
  return row?.count ?? 0
}
