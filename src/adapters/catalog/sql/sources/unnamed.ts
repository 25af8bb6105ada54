import type { SourcePlace } from '../../../../ports/catalog/source-links.ts'
import { bool, text } from '../../database/columns.ts'
import type { Db } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import { select } from '../select.ts'

/** Whether a Unit or a document of its uploader names a row of `source`. One that was deleted softly may be restored. */
const isNamed = Prisma.sql`(EXISTS (SELECT FROM unit u
  WHERE u.namespace_id = source.namespace_id AND u.source_uri = source.uri AND u.writer = source.created_by
    AND u.source_by_writer IS NOT FALSE AND u.state <> 'purged')
  OR EXISTS (SELECT FROM ingested_document d
    WHERE d.namespace_id = source.namespace_id AND d.writer = source.created_by
      AND source.uri IN (d.source_uri, d.found_source_uri)))`

/** Whether the namespace of a row of `source` was deleted. */
const isDeserted = Prisma.sql`EXISTS (SELECT FROM namespace n
  WHERE n.id = source.namespace_id AND n.deleted_at IS NOT NULL)`

/** See `SourceReader.unnamed`. */
export async function reviewUnnamed(
  db: Db,
  after: SourcePlace | null,
  limit: number,
  { now, since }: { now: number; since: number },
): Promise<{ due: SourcePlace[]; next: SourcePlace | null }> {
  const from = after ? Prisma.sql`AND (namespace_id, id) > (${after.namespaceId}, ${after.id})` : Prisma.empty
  const rows = await select(db, { namespaceId: text, id: text, due: bool })`
    WITH page AS MATERIALIZED (
      SELECT namespace_id, id, unnamed_since, ${isDeserted} AS deserted, NOT ${isDeserted} AND ${isNamed} AS named FROM source
      WHERE purge_requested_at IS NULL ${from} ORDER BY namespace_id, id LIMIT ${limit}),
    noted AS (
      UPDATE source SET unnamed_since = CASE WHEN page.named THEN NULL ELSE ${now}::bigint END
      FROM page WHERE source.namespace_id = page.namespace_id AND source.id = page.id
        AND page.named = (page.unnamed_since IS NOT NULL))
    SELECT namespace_id AS "namespaceId", id, deserted OR NOT named AND coalesce(unnamed_since <= ${since}::bigint, false) AS due
    FROM page ORDER BY namespace_id, id`
  const last = rows.at(-1)
  return {
    due: rows.filter(({ due }) => due).map(({ namespaceId, id }) => ({ namespaceId, id })),
    next: last && rows.length === limit ? { namespaceId: last.namespaceId, id: last.id } : null,
  }
}

/** See `SourceWriter.purgeUnnamed`. */
export const purgeUnnamed = (db: Db, namespaceId: string, ids: readonly string[], now: number): Promise<number> =>
  db.$executeRaw`
    UPDATE source SET purge_requested_at = ${now}::bigint
    WHERE namespace_id = ${namespaceId} AND id = ANY(${[...ids]}::text[]) AND purge_requested_at IS NULL
      AND (${isDeserted} OR NOT ${isNamed})`
