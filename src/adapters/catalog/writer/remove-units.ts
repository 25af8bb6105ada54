import type { Removal } from '../../../ports/namespace-writer.ts'
import { asJson, type Db } from '../db.ts'
import { recount } from './counters.ts'
import type { Head } from './head.ts'
import { counted, deleteVectors } from './put-units.ts'

/** Hides Units but keeps them, and all that they come back with. */
export async function tombstoneUnits(db: Db, head: Head, unitIds: readonly string[], now: number): Promise<Removal> {
  const records = await retire(db, head, unitIds)
  const removed = await db.$executeRaw`
    UPDATE unit SET state = 'tombstoned', seq = r.seq, updated_at = ${now}::bigint
    FROM json_to_recordset(${records}::json) AS r(unit_id text, seq bigint)
    WHERE unit.namespace_id = ${head.namespace.id} AND unit.unit_id = r.unit_id`
  return { removed, sources: [] }
}

/** Leaves a content-free stub, which tells every index to forget the Unit. */
export async function purgeUnits(db: Db, head: Head, unitIds: readonly string[], now: number): Promise<Removal> {
  const namespaceId = head.namespace.id
  const pointers = await db.$queryRaw<{ uri: string }[]>`
    SELECT DISTINCT source_uri AS uri FROM unit
    WHERE namespace_id = ${namespaceId} AND unit_id = ANY(${[...unitIds]}::text[]) AND source_uri IS NOT NULL`
  const records = await retire(db, head, unitIds)
  await deleteVectors(db, namespaceId, unitIds)
  const removed = await db.$executeRaw`
    UPDATE unit SET state = 'purged', seq = r.seq, updated_at = ${now}::bigint, text = NULL, source_uri = NULL,
      mime = NULL, locator = NULL, doc_id = NULL, external_id = NULL, acl_set_id = NULL, metadata = '{}',
      content_hash = NULL, has_vector = false, embed_pending = false
    FROM json_to_recordset(${records}::json) AS r(unit_id text, seq bigint)
    WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id`
  const sources = await requestSourcePurge(
    db,
    namespaceId,
    pointers.map(({ uri }) => uri),
    now,
  )
  return { removed, sources }
}

/** Takes Units out of every counter and stamps the seqs of their removal. */
async function retire(db: Db, head: Head, unitIds: readonly string[]): Promise<string> {
  const before = await counted(db, head.namespace.id, unitIds)
  const records = unitIds.map((unit_id, i) => ({ unit_id, seq: head.seq + 1 + i }))
  head.seq += unitIds.length
  await recount(db, head, before, [])
  return asJson(records)
}

/** Marks the uploaded sources among these URIs that no live Unit points at. */
async function requestSourcePurge(
  db: Db,
  namespaceId: string,
  uris: readonly string[],
  now: number,
): Promise<string[]> {
  if (uris.length === 0) return []
  const rows = await db.$queryRaw<{ id: string }[]>`
    UPDATE source SET purge_requested_at = ${now}::bigint
    WHERE namespace_id = ${namespaceId} AND purge_requested_at IS NULL AND uri = ANY(${[...uris]}::text[])
      AND NOT EXISTS (SELECT FROM unit u WHERE u.namespace_id = source.namespace_id
        AND u.source_uri = source.uri AND u.state = 'live')
    RETURNING id`
  return rows.map((row) => row.id)
}
