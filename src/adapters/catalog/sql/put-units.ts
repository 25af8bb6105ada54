import { createHash } from 'node:crypto'
import { runsOf } from '../../../async/json.ts'
import type { Acl, Plane, UnitContent } from '../../../model/unit.ts'
import type { Embedding } from '../../../ports/indexes/index-filter.ts'
import { withLargeValues } from '../connection/driver/large-values.ts'
import { asJson, type Db, toBytes } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'
import { type Head, noteWritten } from './head.ts'
import { contentOf, listed, type UnitColumn } from './unit-columns.ts'
import { counted, countVector, recount } from './unit-counters.ts'

/** A Unit to write. */
export interface UnitRow extends UnitContent {
  unitId: string
  isNew: boolean
  /** The document that it is made from; an existing Unit keeps its own. */
  documentId?: string
  scopeId: string
  plane: Plane
  writer: string
  /** Whether the writer itself named the source, and may open it. */
  sourceByWriter: boolean
  acl: Acl
  contentHash: string
  vector: Embedding | null
  embedPending: boolean
}

/** All parameters of a statement are encoded at once, which must not block the event loop. Bytes, about. */
export const statementSize = 2 ** 19

export function createUnitPuts(db: Db, head: Head, table: readonly UnitColumn[]) {
  const namespaceId = head.namespace.id
  return {
    /** Inserts or replaces Units under the next seqs, in order; returns the number of live Units in the changed documents. */
    put: async (rows: readonly UnitRow[], now: number): Promise<ReadonlyMap<string, number>> => {
      if (rows.length === 0) return new Map()
      const replaced = rows.filter((row) => !row.isNew).map((row) => row.unitId)
      const before = replaced.length === 0 ? [] : await counted(db, namespaceId, replaced)
      const aclSets = aclSetsOf(rows)
      const records = rows.map((row, i) =>
        toRecord(table, row, head.seq + 1 + i, aclSets.get(keyOf(row.acl))?.id ?? ''),
      )
      head.seq += rows.length
      await internAclSets(db, namespaceId, [...aclSets.values()])
      for (const isNew of [true, false]) {
        const some = records.filter((_, i) => rows[i]?.isNew === isNew)
        for (const run of runsOf(some, statementSize)) await insert(db, table, namespaceId, run, now, isNew)
      }
      await replaceVectors(db, namespaceId, replaced, rows)
      const [created, updated] = [rows.filter(({ isNew }) => isNew), rows.filter(({ isNew }) => !isNew)]
      noteWritten(head, 'created', created)
      noteWritten(head, 'updated', updated)
      return recount(db, head, before, records)
    },

    /**
     * Stores a late embedding if the Unit has not changed since `seq`; returns whether it did. Null leaves a vector that it has.
     */
    embed: async (unitId: string, seq: number, vector: { model: string; values: Float32Array } | null) => {
      const next = head.seq + 1
      const changes = async (hasVector: boolean) => {
        const { count } = await db.unit.updateMany({
          where: { namespaceId, unitId, seq, embedPending: true, state: 'live', hasVector },
          data: { seq: next, embedPending: false, hasVector: hasVector || vector !== null },
        })
        return count > 0
      }
      const isFirst = await changes(false)
      if (!isFirst && !(await changes(true))) return false
      head.seq = next
      if (vector === null) return true
      await insertVectors(db, namespaceId, [{ unitId, vector }])
      if (isFirst) await countVector(db, namespaceId, unitId)
      return true
    },
  }
}

type AclSet = Acl & { id: string }

const keyOf = ({ owner, groups }: Acl) => JSON.stringify([owner, groups])

/** The distinct ACL sets of a batch: usually a few. */
function aclSetsOf(rows: readonly UnitRow[]): Map<string, AclSet> {
  const acls = new Map(rows.map(({ acl }) => [keyOf(acl), acl]))
  return new Map([...acls].map(([key, acl]) => [key, aclSetOf(acl)]))
}

export function aclSetOf({ owner, groups }: Acl): AclSet {
  const id = createHash('sha256').update(keyOf({ owner, groups })).digest('hex').slice(0, 32)
  return { id, owner, groups }
}

const toRecord = (table: readonly UnitColumn[], row: UnitRow, seq: number, aclSetId: string) => ({
  ...Object.fromEntries(contentOf(table).map(({ name, field }) => [name, (row as object as Content)[field]])),
  unit_id: row.unitId,
  seq,
  scope_id: row.scopeId,
  plane: row.plane,
  doc_id: row.docId,
  document_id: row.documentId ?? null,
  writer: row.writer,
  source_by_writer: row.sourceByWriter,
  acl_set_id: aclSetId,
  content_hash: row.contentHash,
  has_vector: row.vector !== null,
  has_own: row.vector?.model === 'own',
  embed_pending: row.embedPending,
})

type Content = Readonly<Record<string, unknown>>

export async function internAclSets(db: Db, namespaceId: string, sets: readonly AclSet[]): Promise<void> {
  await db.$executeRaw`
    INSERT INTO acl_set (namespace_id, id, owner, groups)
    SELECT ${namespaceId}, r.id, r.owner, r.groups
    FROM json_to_recordset(${asJson(sets)}::json) AS r(id text, owner text, groups text[])
    ON CONFLICT DO NOTHING`
}

/** New rows get no check for an older one. */
async function insert(
  db: Db,
  table: readonly UnitColumn[],
  namespaceId: string,
  records: readonly object[],
  now: number,
  isNew: boolean,
): Promise<void> {
  const replacing = Prisma.sql`ON CONFLICT (namespace_id, unit_id) DO UPDATE SET ${Prisma.raw(replacements(table))}`
  const given = Prisma.sql`${namespaceId} AS namespace_id, r.seq AS ordinal, 'live' AS state,
    ${now}::bigint AS created_at, ${now}::bigint AS updated_at`
  const fields = table.filter(({ put }) => put === 'record')
  const names = table.map(({ name }) => name)
  await withLargeValues(
    [asJson(records)],
    (json) => db.$executeRaw`
      INSERT INTO unit (${listed(names)})
      SELECT ${listed(names)} FROM (
        SELECT r.*, ${given}
        FROM json_to_recordset(${json}::json) AS r(${Prisma.raw(recordOf(fields))})) AS put
      ${isNew ? Prisma.empty : replacing}`,
  )
}

const recordOf = (fields: readonly UnitColumn[]) => fields.map(({ name, type }) => `"${name}" ${type}`).join(', ')

const replacements = (table: readonly UnitColumn[]) =>
  table.flatMap(({ name, kept }) => (kept ? [] : [`"${name}" = excluded."${name}"`])).join(', ')

async function replaceVectors(
  db: Db,
  namespaceId: string,
  replaced: readonly string[],
  rows: readonly UnitRow[],
): Promise<void> {
  if (replaced.length > 0) await deleteVectors(db, namespaceId, replaced)
  const embedded = rows.flatMap(({ unitId, vector }) => (vector ? [{ unitId, vector }] : []))
  for (const run of runsOf(embedded, statementSize)) await insertVectors(db, namespaceId, run)
}

export async function deleteVectors(db: Db, namespaceId: string, unitIds: readonly string[]): Promise<void> {
  await db.unitVector.deleteMany({ where: { namespaceId, unitId: { in: [...unitIds] } } })
}

/** All vectors travel as one parameter, which the statement splits: an array of them would be escaped one by one. */
export async function insertVectors(
  db: Db,
  namespaceId: string,
  embedded: readonly { unitId: string; vector: { model: string; values: Float32Array } }[],
): Promise<void> {
  let offset = 1
  const records = embedded.map(({ unitId, vector }) => {
    const record = { unit_id: unitId, model: vector.model, start: offset, length: vector.values.byteLength }
    offset += record.length
    return record
  })
  const all = Buffer.concat(embedded.map(({ vector }) => toBytes(vector.values)))
  await withLargeValues(
    [asJson(records), all],
    (json, bytes) => db.$executeRaw`
      INSERT INTO unit_vector (namespace_id, unit_id, model, vector)
      SELECT ${namespaceId}, r.unit_id, r.model, substring(b.bytes FROM r.start FOR r.length)
      FROM json_to_recordset(${json}::json) AS r(unit_id text, model text, start int, length int),
        (SELECT ${bytes}::bytea AS bytes) AS b
      ON CONFLICT (namespace_id, unit_id, model) DO UPDATE SET vector = excluded.vector`,
  )
}
