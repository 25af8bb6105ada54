import type { UnitUpdate } from '../../../../ports/catalog/namespace-writer.ts'
import { runsOf } from '../../../../slices/stringify-json.ts'
import { asJson, type Db } from '../../database/db.ts'
import { type Head, noteWritten } from '../head.ts'
import { recount } from './counters.ts'
import { fitOwnVectors } from './own-vectors.ts'
import { aclSetOf, counted, internAclSets, statementSize } from './put-units.ts'

/** Changes live Units in place. */
export async function updateUnits(db: Db, head: Head, changes: readonly UnitUpdate[], now: number): Promise<void> {
  if (changes.length === 0) return
  const namespaceId = head.namespace.id
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
}

/**
 * Restores tombstoned Units unchanged, but for own vectors of dimensions that the plane no longer has; one that still
 * waited for its vector waits again.
 */
export async function restoreUnits(
  db: Db,
  head: Head,
  unitIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
  await fitOwnVectors(db, head.namespace.id, unitIds)
  return moveCounters(db, head, unitIds, async () => {
    const records = unitIds.map((unit_id, i) => ({ unit_id, seq: head.seq + 1 + i }))
    head.seq += unitIds.length
    await db.$executeRaw`
      UPDATE unit SET state = 'live', seq = r.seq, updated_at = ${now}::bigint
      FROM json_to_recordset(${asJson(records)}::json) AS r(unit_id text, seq bigint)
      WHERE unit.namespace_id = ${head.namespace.id} AND unit.unit_id = r.unit_id AND unit.state = 'tombstoned'`
  })
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
