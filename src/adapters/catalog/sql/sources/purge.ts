import { text } from '../../database/columns.ts'
import type { Db } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import { select } from '../select.ts'

/**
 * Whether a document of its uploader needs a row of `source`: to be read, or because its Units do not name it themselves.
 */
const neededByDocument = Prisma.sql`EXISTS (SELECT FROM ingested_document d
  JOIN scope ds ON ds.namespace_id = d.namespace_id AND ds.id = d.scope_id AND ds.deleted_at IS NULL
  WHERE d.namespace_id = source.namespace_id AND d.writer = source.created_by
    AND (d.source_uri = source.uri AND d.status <> 'ready'
      OR d.found_source_uri = source.uri AND (d.found ->> 'asGiven')::boolean))`

/** Marks those of these sources that no live Unit and no document names. Returns their ids. */
export async function requestSourcePurge(
  db: Db,
  namespaceId: string,
  sourceIds: readonly string[],
  now: number,
): Promise<string[]> {
  if (sourceIds.length === 0) return []
  const rows = await select(db, { id: text })`
    UPDATE source SET purge_requested_at = ${now}::bigint
    WHERE namespace_id = ${namespaceId} AND purge_requested_at IS NULL AND id = ANY(${[...sourceIds]}::text[])
      AND NOT EXISTS (SELECT FROM unit u
        JOIN scope s ON s.namespace_id = u.namespace_id AND s.id = u.scope_id AND s.deleted_at IS NULL
        WHERE u.namespace_id = source.namespace_id AND u.source_uri = source.uri AND u.writer = source.created_by
          AND u.source_by_writer IS NOT FALSE AND u.state = 'live')
      AND NOT ${neededByDocument}
    RETURNING id`
  return rows.map((row) => row.id)
}
