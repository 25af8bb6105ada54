import type { Acl, Metadata } from '../../../model/unit.ts'

import { runsOf } from '../../../slices/json.ts'
import { text } from '../database/columns.ts'
import { asJson, type Db } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import { type Head, noteWritten } from './head.ts'
import { fitOwnVectors } from './plane-models.ts'
import { aclSetOf, deleteVectors, internAclSets, statementSize } from './put-units.ts'
import { select } from './select.ts'
import { removeEmptied, requestSourcePurge } from './sources.ts'
import { plane, type UnitColumn } from './unit-columns.ts'
import { counted, recount } from './unit-counters.ts'

/** Replaces the fields that can change without a new embedding. */
export interface UnitUpdate {
  unitId: string
  acl: Acl
  metadata: Metadata
  title: string | null
  contentHash: string
}

export interface Removal {
  removed: number
  /** Uploaded sources that live Units no longer reference (hard removal only); their bytes must be purged. */
  sources: string[]
}

export function createUnitChanges(db: Db, head: Head, table: readonly UnitColumn[]) {
  const namespaceId = head.namespace.id
  return {
    /** Changes live Units under the next seqs; their texts, vectors and places in the listing do not change. */
    update: async (changes: readonly UnitUpdate[], now: number) => {
      if (changes.length === 0) return
      const records = changes.map(({ unitId, acl, metadata, title, contentHash }, i) => ({
        unit_id: unitId,
        acl_set: aclSetOf(acl),
        metadata,
        title,
        content_hash: contentHash,
        seq: head.seq + 1 + i,
      }))
      const aclSets = new Map(records.map(({ acl_set }) => [acl_set.id, acl_set]))
      await internAclSets(db, namespaceId, [...aclSets.values()])
      head.seq += changes.length
      await moveCounters(
        db,
        head,
        changes.map(({ unitId }) => unitId),
        async () => {
          for (const run of runsOf(records, statementSize)) {
            const rows = run.map(({ acl_set, ...record }) => ({ ...record, acl_set_id: acl_set.id }))
            await db.$executeRaw`
              UPDATE unit SET seq = r.seq, acl_set_id = r.acl_set_id, metadata = r.metadata, title = r.title,
                content_hash = r.content_hash, updated_at = ${now}::bigint
              FROM json_to_recordset(${asJson(rows)}::json)
                AS r(unit_id text, seq bigint, acl_set_id text, metadata jsonb, title text, content_hash text)
              WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id AND unit.state = 'live'`
          }
        },
      )
    },

    /**
     * Restores tombstoned Units under the next seqs; own vectors whose length the plane no longer has are embedded again.
     * One that still waited for its vector waits again. Returns the number of live Units in their documents.
     */
    restore: async (unitIds: readonly string[], now: number): Promise<ReadonlyMap<string, number>> => {
      await fitOwnVectors(db, namespaceId, unitIds)
      return moveCounters(db, head, unitIds, async () => {
        const records = unitIds.map((unit_id, i) => ({ unit_id, seq: head.seq + 1 + i }))
        head.seq += unitIds.length
        await db.$executeRaw`
          UPDATE unit SET state = 'live', seq = r.seq, updated_at = ${now}::bigint
          FROM json_to_recordset(${asJson(records)}::json) AS r(unit_id text, seq bigint)
          WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id AND unit.state = 'tombstoned'`
      })
    },

    /** Hides Units but keeps them with all that a restore needs. */
    tombstone: async (unitIds: readonly string[], now: number): Promise<Removal> => {
      const removed = await retire(
        db,
        head,
        unitIds,
        (records) => select(db, { plane })`
          UPDATE unit SET state = 'tombstoned', seq = r.seq, updated_at = ${now}::bigint
          FROM json_to_recordset(${records}::json) AS r(unit_id text, seq bigint)
          WHERE unit.namespace_id = ${namespaceId} AND unit.unit_id = r.unit_id RETURNING unit.plane`,
      )
      noteWritten(head, 'tombstoned', removed)
      return { removed: removed.length, sources: [] }
    },

    /** Leaves a stub without content, which tells every index to forget the Unit. */
    purge: async (unitIds: readonly string[], now: number): Promise<Removal> => {
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
      return {
        removed: removed.length,
        sources: [...emptied, ...(await requestSourcePurge(db, namespaceId, opened, now))],
      }
    },
  }
}

/** Counts Units before and after they change, and moves every counter by the difference. */
async function moveCounters(
  db: Db,
  head: Head,
  unitIds: readonly string[],
  change: () => Promise<void>,
): Promise<ReadonlyMap<string, number>> {
  const before = await counted(db, head.namespace.id, unitIds)
  await change()
  const after = await counted(db, head.namespace.id, unitIds)
  noteWritten(head, 'updated', after)
  return recount(db, head, before, after)
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
