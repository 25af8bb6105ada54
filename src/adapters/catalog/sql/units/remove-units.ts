import type { Removal } from '../../../../ports/catalog/namespace-writer.ts'
import { text } from '../../database/columns.ts'
import { asJson, type Db } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import { type Head, noteWritten } from '../head.ts'
import { select } from '../select.ts'
import { removeEmptied } from '../sources/emptied-documents.ts'
import { requestSourcePurge } from '../sources/purge.ts'
import { type UnitColumn, unitTable } from './columns.ts'
import { recount } from './counters.ts'
import { counted, deleteVectors } from './put-units.ts'
import { plane } from './rows.ts'

/** Hides Units but keeps them with all that a restore needs. */
export async function tombstoneUnits(db: Db, head: Head, unitIds: readonly string[], now: number): Promise<Removal> {
  const removed = await retire(
    db,
    head,
    unitIds,
    (records) => select(db, { plane })`
    UPDATE unit SET state = 'tombstoned', seq = r.seq, updated_at = ${now}::bigint
    FROM json_to_recordset(${records}::json) AS r(unit_id text, seq bigint)
    WHERE unit.namespace_id = ${head.namespace.id} AND unit.unit_id = r.unit_id RETURNING unit.plane`,
  )
  noteWritten(head, 'tombstoned', removed)
  return { removed: removed.length, sources: [] }
}

/** Leaves a stub without content, which tells every index to forget the Unit. */
export async function purgeUnits(
  db: Db,
  head: Head,
  unitIds: readonly string[],
  now: number,
  table: readonly UnitColumn[] = unitTable,
): Promise<Removal> {
  const namespaceId = head.namespace.id
  const opened = await openedSources(db, namespaceId, unitIds)
  const documents = await documentsOf(db, namespaceId, unitIds)
  head.purged = true
  const removed = await retire(db, head, unitIds, async (records) => {
    await deleteVectors(db, namespaceId, unitIds)
    return select(db, { plane })`
      UPDATE unit SET state = 'purged', seq = r.seq, updated_at = ${now}::bigint, ${emptiedColumns(table)}
      FROM json_to_recordset(${records}::json) AS r(unit_id text, seq bigint)
      WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id RETURNING unit.plane`
  })
  noteWritten(head, 'purged', removed)
  const emptied = await removeEmptied(db, namespaceId, documents, now)
  return { removed: removed.length, sources: [...emptied, ...(await requestSourcePurge(db, namespaceId, opened, now))] }
}

const emptiedColumns = (table: readonly UnitColumn[]) =>
  Prisma.raw(table.flatMap(({ name, purged }) => (purged === null ? [] : [`"${name}" = ${purged}`])).join(', '))

/** Removes Units under the next seqs, and takes them out of every counter. */
async function retire<T>(
  db: Db,
  head: Head,
  unitIds: readonly string[],
  remove: (records: string) => Promise<T>,
): Promise<T> {
  const before = await counted(db, head.namespace.id, unitIds)
  const records = unitIds.map((unit_id, i) => ({ unit_id, seq: head.seq + 1 + i }))
  head.seq += unitIds.length
  const removed = await remove(asJson(records))
  await recount(db, head, before, [])
  return removed
}

/**
 * The uploaded sources that these Units refer to, if the Unit's writer uploaded them. For other writers the URI is only
 * an opaque pointer.
 */
async function openedSources(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<string[]> {
  const rows = await select(db, { id: text })`
    SELECT DISTINCT s.id FROM unit u
    JOIN source s ON s.namespace_id = u.namespace_id AND s.uri = u.source_uri AND s.created_by = u.writer
      AND u.source_by_writer IS NOT FALSE
    WHERE u.namespace_id = ${namespaceId} AND u.unit_id = ANY(${[...unitIds]}::text[])`
  return rows.map(({ id }) => id)
}

/** The documents that these Units belong to. */
async function documentsOf(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<string[]> {
  const rows = await db.unit.findMany({
    where: { namespaceId, unitId: { in: [...unitIds] }, documentId: { not: null } },
    distinct: ['documentId'],
    select: { documentId: true },
  })
  return rows.flatMap(({ documentId }) => documentId ?? [])
}
