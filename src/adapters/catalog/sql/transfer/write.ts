import { TransferRefusedError } from '../../../../model/transfer.ts'
import type { TransferWriter } from '../../../../ports/catalog/transfer.ts'
import { bool, integer, text } from '../../database/columns.ts'
import type { Db } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import { createAuditTree } from '../../reads/audit-tree.ts'
import { createAuditReader } from '../audit/audit.ts'
import { appendAudit, flushHead, lockHead } from '../head.ts'
import { select } from '../select.ts'
import { namespacesBy } from './namespaces.ts'
import { refersToNothing, refusalOf } from './refusals.ts'
import { type TransferTable, transferTables, within } from './tables.ts'

/** The writes of one transaction, into namespaces that it creates itself. */
export function createTransferWriter(
  db: Db,
  namespaceIds: readonly string[],
  tables: readonly TransferTable[] = transferTables,
): TransferWriter {
  const ids = [...namespaceIds]
  return {
    audit: createAuditReader(db),
    auditTree: createAuditTree(db),

    insert: async (kind, records) => {
      const table = tables.find(({ name }) => name === kind)
      if (!table) throw new TransferRefusedError(`${kind} is not a kind of record`)
      const [counted] = await select(db, insertedColumns)`${insertion(table, records, ids)}`.catch((error: unknown) => {
        throw refusalOf(error, kind) ?? error
      })
      const { belonging = 0, inserted = 0 } = counted ?? {}
      if (belonging < records.length)
        throw new TransferRefusedError(`a record ${kind} belongs to no namespace of the file`)
      if (table.clash !== null) {
        const [found] = await select(db, { clashes: bool })`
          SELECT EXISTS (${within(table.clash, oneOfThese(ids))}) AS clashes`
        if (found?.clashes)
          throw new TransferRefusedError(`a record ${kind} refers to a principal that already exists here`)
      }
      return belonging - inserted
    },

    source: async (namespaceId, id) =>
      await db.source.findFirst({
        where: { AND: [{ namespaceId }, { namespaceId: { in: ids } }], id },
        select: { sha256: true, bytes: true },
      }),

    settle: async () => {
      await db.$executeRaw`
        UPDATE principal SET user_id = NULL WHERE namespace_id = ANY(${ids}::text[])
          AND NOT EXISTS (SELECT 1 FROM auth_user u WHERE u.id = user_id)`
      await requireParents(db, ids)
      await count(db, ids)
      const heads = await select(db, { name: text })`
        SELECT n.name FROM namespace n JOIN head h ON h.namespace_id = n.id
        WHERE n.id = ANY(${ids}::text[]) AND h.seq >= coalesce(
          (SELECT max(greatest(u.seq, u.ordinal)) FROM unit u WHERE u.namespace_id = n.id), 0)`
      if (heads.length < ids.length)
        throw new TransferRefusedError('the head of a namespace is missing, or behind its Units')
    },

    namespaces: () => namespacesBy(db, { id: { in: ids } }),

    append: async (namespaceId, entry) => {
      const head = await lockHead(db, namespaceId)
      appendAudit(head, entry)
      await flushHead(db, head)
    },
  }
}

/** What the catalog itself keeps when it writes Units: PostgreSQL does not check each of them. */
async function requireParents(db: Db, ids: string[]): Promise<void> {
  const [orphaned] = await select(db, { unit: bool, unit_vector: bool })`
    SELECT EXISTS (SELECT FROM unit u WHERE u.namespace_id = ANY(${ids}::text[])
        AND (NOT EXISTS (SELECT FROM scope s WHERE s.namespace_id = u.namespace_id AND s.id = u.scope_id)
          OR u.acl_set_id IS NOT NULL
            AND NOT EXISTS (SELECT FROM acl_set a WHERE a.namespace_id = u.namespace_id AND a.id = u.acl_set_id))) AS unit,
      EXISTS (SELECT FROM unit_vector v WHERE v.namespace_id = ANY(${ids}::text[])
        AND NOT EXISTS (SELECT FROM unit u WHERE u.namespace_id = v.namespace_id AND u.unit_id = v.unit_id)) AS unit_vector`
  for (const [kind, isOrphaned] of Object.entries(orphaned ?? {})) if (isOrphaned) throw refersToNothing(kind)
}

/** Recomputes what follows from the Units instead of trusting the file: quotas depend on it. */
async function count(db: Db, ids: string[]): Promise<void> {
  await db.$executeRaw`
    INSERT INTO document (namespace_id, doc_id, units)
    SELECT namespace_id, doc_id, count(*) FROM unit
    WHERE namespace_id = ANY(${ids}::text[]) AND state = 'live' AND doc_id IS NOT NULL GROUP BY namespace_id, doc_id`
  await db.$executeRaw`
    INSERT INTO unit_count (namespace_id, scope_id, acl_set_id, plane, units, vectors)
    SELECT namespace_id, scope_id, acl_set_id, plane, count(*), count(*) FILTER (WHERE EXISTS (
      SELECT 1 FROM unit_vector v WHERE v.namespace_id = u.namespace_id AND v.unit_id = u.unit_id))
    FROM unit u WHERE namespace_id = ANY(${ids}::text[]) AND state = 'live'
    GROUP BY namespace_id, scope_id, acl_set_id, plane`
  await db.$executeRaw`
    UPDATE plane_model m SET vectors = (
      SELECT count(*) FROM unit_vector v JOIN unit u ON u.namespace_id = v.namespace_id AND u.unit_id = v.unit_id
      WHERE v.namespace_id = m.namespace_id AND v.model = m.model AND u.plane = m.plane AND u.state = 'live')
    WHERE m.namespace_id = ANY(${ids}::text[]) AND m.model = 'own'`
  await db.planeModel.deleteMany({ where: { namespaceId: { in: ids }, model: 'own', vectors: 0 } })
  await db.$executeRaw`
    UPDATE head h SET documents = (SELECT count(*) FROM document d WHERE d.namespace_id = h.namespace_id)
      + (SELECT count(*) FROM unit u WHERE u.namespace_id = h.namespace_id AND state = 'live' AND doc_id IS NULL)
    WHERE namespace_id = ANY(${ids}::text[])`
}

const insertedColumns = { belonging: integer, inserted: integer }

const oneOfThese = (ids: string[]) => Prisma.sql` = ANY(${ids}::text[])`

/** Keeps the order of the records, which are JSON: some tables number rows on arrival. */
function insertion(
  { name, columns, belongs, derived, keep }: TransferTable,
  records: readonly string[],
  ids: string[],
): Prisma.Sql {
  const names = columns.map(([column]) => `"${column}"`)
  const fields = [
    ...columns.map(([column, type]) => `"${column}" ${type === 'bytea' ? 'text' : type}`),
    ...Object.keys(derived).map((field) => `"${field}" text`),
  ]
  const values = columns.map(([column, type]) => (type === 'bytea' ? `decode("${column}", 'base64')` : `"${column}"`))
  return Prisma.sql`WITH t AS MATERIALIZED (
      SELECT * FROM ROWS FROM (json_to_recordset(${`[${records}]`}::json) AS (${Prisma.raw(`${fields}`)})) WITH ORDINALITY AS t
      WHERE ${within(belongs, oneOfThese(ids))}),
    inserted AS (
      INSERT INTO ${Prisma.raw(`"${name}" (${names}) SELECT ${values}`)} FROM t
      WHERE ${Prisma.raw(keep)} ORDER BY t.ordinality RETURNING 1)
    SELECT (SELECT count(*)::int FROM t) AS belonging, (SELECT count(*)::int FROM inserted) AS inserted`
}
