import type { UnitUpdate } from '../../../../ports/catalog/namespace-writer.ts'
import { asJson, type Db } from '../../database/db.ts'
import type { Head } from '../head.ts'
import { recount } from './counters.ts'
import { aclSetOf, counted, internAclSets } from './put-units.ts'

/** Changes a live Unit in place. */
export async function updateUnit(db: Db, head: Head, change: UnitUpdate, now: number): Promise<void> {
  const namespaceId = head.namespace.id
  const { unitId, acl, metadata, title, contentHash } = change
  const aclSet = aclSetOf(acl)
  await internAclSets(db, namespaceId, [aclSet])
  await moveCounters(db, head, [unitId], async () => {
    head.seq += 1
    await db.unit.update({
      where: { namespaceId_unitId: { namespaceId, unitId }, state: 'live' },
      data: { seq: head.seq, aclSetId: aclSet.id, metadata, title, contentHash, updatedAt: now },
    })
  })
}

/** Restores tombstoned Units unchanged; one that still waited for its vector waits again. */
export function restoreUnits(
  db: Db,
  head: Head,
  unitIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> {
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
  return recount(db, head, before, await counted(db, head.namespace.id, unitIds))
}
