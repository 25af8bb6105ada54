import type { Plane } from '../../../model/unit.ts'
import { bool, integer, orNull, type Row, text } from '../database/columns.ts'
import { asJson, type Db } from '../database/db.ts'
import type { Head } from './head.ts'
import { select } from './select.ts'
import { plane } from './unit-columns.ts'

const countedColumns = {
  scope_id: text,
  acl_set_id: text,
  plane,
  doc_id: orNull(text),
  has_vector: bool,
  /** Its vector is the caller's own. */
  has_own: bool,
}

/** What a live Unit counts towards. */
type Counted = Row<typeof countedColumns>

/** What the live Units among these count towards. */
export function counted(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<Counted[]> {
  return select(db, countedColumns)`
    SELECT scope_id, acl_set_id, plane, doc_id, has_vector, EXISTS (SELECT FROM unit_vector v
      WHERE v.namespace_id = unit.namespace_id AND v.unit_id = unit.unit_id AND v.model = 'own') AS has_own
    FROM unit WHERE namespace_id = ${namespaceId} AND unit_id = ANY(${[...unitIds]}::text[]) AND state = 'live'`
}

/** Updates every counter from the old Units to the new ones; returns the Units that touched documents now hold. */
export async function recount(
  db: Db,
  head: Head,
  before: readonly Counted[],
  after: readonly Counted[],
): Promise<ReadonlyMap<string, number>> {
  await addToUnitCounts(db, head.namespace.id, [...deltas(before, -1), ...deltas(after, 1)])
  await countOwnVectors(db, head.namespace.id, before, after)
  for (const { plane } of before) head.growth.units[plane] -= 1
  for (const { plane } of after) head.growth.units[plane] += 1
  const ownDocument = (units: readonly Counted[]) => units.filter((u) => u.doc_id === null).length
  head.documents += ownDocument(after) - ownDocument(before)
  return addToDocuments(db, head, before, after)
}

export interface UnitDelta {
  scope_id: string
  acl_set_id: string
  plane: Plane
  units: number
  vectors: number
}

const deltas = (units: readonly Counted[], sign: 1 | -1): UnitDelta[] =>
  units.map(({ scope_id, acl_set_id, plane, has_vector }) => ({
    scope_id,
    acl_set_id,
    plane,
    units: sign,
    vectors: has_vector ? sign : 0,
  }))

export async function addToUnitCounts(db: Db, namespaceId: string, changes: readonly UnitDelta[]): Promise<void> {
  const sums = new Map<string, UnitDelta>()
  for (const change of changes) {
    const key = JSON.stringify([change.scope_id, change.acl_set_id, change.plane])
    const sum = sums.get(key)
    if (sum) {
      sum.units += change.units
      sum.vectors += change.vectors
    } else sums.set(key, { ...change })
  }
  const moved = [...sums.values()].filter((sum) => sum.units !== 0 || sum.vectors !== 0)
  if (moved.length === 0) return
  await db.$executeRaw`
    INSERT INTO unit_count AS c (namespace_id, scope_id, acl_set_id, plane, units, vectors)
    SELECT ${namespaceId}, r.scope_id, r.acl_set_id, r.plane, r.units, r.vectors
    FROM json_to_recordset(${asJson(moved)}::json)
      AS r(scope_id text, acl_set_id text, plane text, units int, vectors int)
    ON CONFLICT (namespace_id, scope_id, acl_set_id, plane)
    DO UPDATE SET units = c.units + excluded.units, vectors = c.vectors + excluded.vectors`
}

/** The last live own vector of a plane takes with it that it fixed the dimensions. */
async function countOwnVectors(
  db: Db,
  namespaceId: string,
  before: readonly Counted[],
  after: readonly Counted[],
): Promise<void> {
  const sums = new Map<Plane, number>()
  const add = (units: readonly Counted[], sign: number) => {
    for (const { plane, has_own } of units) if (has_own) sums.set(plane, (sums.get(plane) ?? 0) + sign)
  }
  add(before, -1)
  add(after, 1)
  for (const [plane, vectors] of sums) {
    if (vectors === 0) continue
    const where = { namespaceId, plane, model: 'own' }
    await db.planeModel.updateMany({ where, data: { vectors: { increment: vectors } } })
    if (vectors > 0) continue
    // A version that does not count yet may have written some.
    await db.$executeRaw`
      DELETE FROM plane_model m WHERE m.namespace_id = ${namespaceId} AND m.plane = ${plane} AND m.model = 'own'
        AND m.vectors <= 0 AND NOT EXISTS (
          SELECT FROM unit_vector v JOIN unit u ON u.namespace_id = v.namespace_id AND u.unit_id = v.unit_id
          WHERE v.namespace_id = m.namespace_id AND v.model = m.model AND u.plane = m.plane AND u.state = 'live')`
  }
}

/** Counts the first vector of a Unit. */
export async function countVector(db: Db, namespaceId: string, unitId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE unit_count AS c SET vectors = c.vectors + 1 FROM unit u
    WHERE u.namespace_id = ${namespaceId} AND u.unit_id = ${unitId} AND c.namespace_id = u.namespace_id
      AND c.scope_id = u.scope_id AND c.acl_set_id = u.acl_set_id AND c.plane = u.plane`
}

async function addToDocuments(
  db: Db,
  head: Head,
  before: readonly Counted[],
  after: readonly Counted[],
): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>()
  const add = (units: readonly Counted[], sign: number) => {
    for (const { doc_id } of units) if (doc_id !== null) sums.set(doc_id, (sums.get(doc_id) ?? 0) + sign)
  }
  add(before, -1)
  add(after, 1)
  const moved = [...sums].filter(([, units]) => units !== 0).map(([doc_id, units]) => ({ doc_id, units }))
  if (moved.length === 0) return new Map()
  const rows = await select(db, { doc_id: text, units: integer })`
    INSERT INTO document AS d (namespace_id, doc_id, units)
    SELECT ${head.namespace.id}, r.doc_id, r.units
    FROM json_to_recordset(${asJson(moved)}::json) AS r(doc_id text, units int)
    ON CONFLICT (namespace_id, doc_id) DO UPDATE SET units = d.units + excluded.units
    RETURNING doc_id, units`
  for (const { doc_id, units } of rows) {
    const was = units - (sums.get(doc_id) ?? 0)
    if (was === 0 && units > 0) head.documents += 1
    if (was > 0 && units === 0) head.documents -= 1
  }
  // A `doc_id` is often the name of a file: it goes with the last Unit.
  const emptied = rows.flatMap((row) => (row.units === 0 ? [row.doc_id] : []))
  if (emptied.length > 0) {
    await db.document.deleteMany({ where: { namespaceId: head.namespace.id, docId: { in: emptied } } })
  }
  return new Map(rows.map((row) => [row.doc_id, row.units]))
}

/** How many documents are counted only for Units of deleted scopes; the sweeper takes them out of the counters. */
export async function unsweptDocuments(db: Db, namespaceId: string): Promise<number> {
  const [row] = await select(db, { documents: integer })`
    WITH unswept AS (
      SELECT u.doc_id, count(*)::int AS units
      FROM scope s JOIN unit u ON u.namespace_id = s.namespace_id AND u.scope_id = s.id AND u.state = 'live'
      WHERE s.namespace_id = ${namespaceId} AND s.deleted_at IS NOT NULL AND s.swept_at IS NULL GROUP BY u.doc_id)
    SELECT coalesce(sum(CASE WHEN w.doc_id IS NULL THEN w.units WHEN d.units = w.units THEN 1 ELSE 0 END), 0)::int
      AS documents
    FROM unswept w LEFT JOIN document d ON d.namespace_id = ${namespaceId} AND d.doc_id = w.doc_id`
  return row?.documents ?? 0
}
