import { z } from 'zod'
import type { AuditEntry } from '../../../model/audit.ts'
import type { Namespace } from '../../../model/registry.ts'
import { TransferRefusedError } from '../../../model/transfer.ts'

import { bool, integer, text, texts } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { toTier } from '../database/words.ts'
import { Prisma, type PrismaClient } from '../generated/client.ts'
import { createAuditReader } from './audit.ts'
import { createAuditTree } from './audit-tree.ts'
import { appendAudit, flushHead, lockHead, setReadOnly } from './head.ts'
import { select } from './select.ts'
import { type TransferTable, transferTables, within } from './transfer-tables.ts'

export interface TransferNamespace extends Namespace {
  deleted: boolean
}

export interface TransferSnapshot {
  namespaces: readonly TransferNamespace[]
  /**
   * All their data: pages of records of one kind, each record one line of JSON with the kind's fields in order. The
   * next page is read only after `take` is done.
   */
  records(take: (kind: string, records: readonly string[]) => Promise<void>): Promise<void>
}

/** Reading or writing everything has no time limit in practice. */
const transactionLimits = { maxWait: 60_000, timeout: 7 * 24 * 60 * 60_000 }

/** Exports and imports the data of namespaces, record by record. */
export function createTransferStore(prisma: PrismaClient) {
  return {
    /** The kinds of records and their fields. Each record comes after the records that it refers to. */
    kinds: new Map(
      transferTables.map(({ name, columns, derived }) => [
        name,
        [...columns.map(([column]) => column), ...Object.keys(derived)],
      ]),
    ),

    /** The live namespace with this name, or all namespaces, including deleted ones, by id. */
    namespaces: (name: string | null): Promise<TransferNamespace[]> => namespacesBy(prisma, selection(name)),

    /** Runs `work` on the live namespace with this name, or on all, in one snapshot. Nothing is written meanwhile. */
    read: <T>(name: string | null, work: (snapshot: TransferSnapshot) => Promise<T>): Promise<T> =>
      prisma.$transaction(
        async (db) => {
          await setReadOnly(db)
          const found = await namespacesBy(db, selection(name))
          const [only] = found
          return work({
            namespaces: found,
            records: (take) => readTables(db, name === null ? null : (only?.id ?? ''), take),
          })
        },
        { ...transactionLimits, isolationLevel: 'RepeatableRead' },
      ),

    /**
     * Runs `work` in one transaction. An error in it rolls everything back and is rethrown. Others see nothing before the
     * end. Throws `TransferRefusedError` for records that the catalog does not accept.
     */
    write: <T>(namespaceIds: readonly string[], work: (tx: TransferWriter) => Promise<T>): Promise<T> =>
      prisma.$transaction((db) => work(createTransferWriter(db, namespaceIds)), transactionLimits),
  }
}

const selection = (name: string | null) => (name === null ? {} : { name, deletedAt: null })

/** Ordered by id. */
async function namespacesBy(db: Db, where: Prisma.NamespaceWhereInput): Promise<TransferNamespace[]> {
  const found = await db.namespace.findMany({ where, orderBy: { id: 'asc' } })
  return found.map(({ id, name, tier, deletedAt }) => {
    return { id, name, tier: toTier(tier), deleted: deletedAt !== null }
  })
}

/** Every row of one namespace, or of all for null, table by table. Run it in a transaction with one snapshot. */
export async function readTables(
  db: Db,
  namespaceId: string | null,
  take: (table: string, rows: readonly string[]) => Promise<void>,
  tables: readonly TransferTable[] = transferTables,
): Promise<void> {
  for (const table of tables) {
    for (let after: readonly string[] | null = null; ; ) {
      const page: Page = await readPage(db, table, namespaceId, after)
      if (page.rows.length > 0) await take(table.name, page.rows)
      if (page.rows.length < table.page) break
      after = page.last
    }
  }
}

interface Page {
  /** Each is a line of JSON. */
  rows: string[]
  /** The key of the last row. */
  last: readonly string[]
}

async function readPage(
  db: Db,
  table: TransferTable,
  namespaceId: string | null,
  after: readonly string[] | null,
): Promise<Page> {
  const records = await select(db, { row: text, key: texts })`${pageQuery(table, namespaceId, after)}`
  return { rows: records.map(({ row }) => row), last: records.at(-1)?.key ?? [] }
}

/** The rows of one namespace, or of all for null, after a key. */
function pageQuery(
  { name, columns, key, belongs, derived, page }: TransferTable,
  namespaceId: string | null,
  after: readonly string[] | null,
): Prisma.Sql {
  const fields = [
    ...columns.map(([column, type]) => `${read(`t."${column}"`, type)} AS "${column}"`),
    ...Object.entries(derived).map(([field, sql]) => `${sql} AS "${field}"`),
  ]
  const keys = key.map((column) => `t."${column}"`)
  const bounds = key.map((column, i) => Prisma.sql`${after?.[i]}::text::${Prisma.raw(keyType(columns, column))}`)
  const conditions = [
    within(belongs, namespaceId === null ? Prisma.sql` IS NOT NULL` : Prisma.sql` = ${namespaceId}`),
    ...(after ? [Prisma.sql`(${Prisma.raw(`${keys}`)}) > (${Prisma.join(bounds)})`] : []),
  ]
  // Limits each page before its rows become JSON.
  return Prisma.sql`
    SELECT (SELECT row_to_json(r)::text FROM (SELECT ${Prisma.raw(`${fields}`)}) r) AS row,
      ARRAY[${Prisma.raw(`${keys.map((k) => `${k}::text`)}`)}] AS key
    FROM (SELECT * FROM ${Prisma.raw(`"${name}"`)} t WHERE ${Prisma.join(conditions, ' AND ')}
      ORDER BY ${Prisma.raw(`${keys}`)} LIMIT ${page}) t ORDER BY ${Prisma.raw(`${keys}`)}`
}

const keyType = (columns: TransferTable['columns'], name: string) =>
  columns.find(([column]) => column === name)?.[1] ?? 'bigint'

/** Bytes as base64 in one line. */
const read = (column: string, type: string) =>
  type === 'bytea' ? `translate(encode(${column}, 'base64'), E'\\n', '')` : column

/** The writes of one transaction, into namespaces that it creates itself. */
export function createTransferWriter(
  db: Db,
  namespaceIds: readonly string[],
  tables: readonly TransferTable[] = transferTables,
) {
  const ids = [...namespaceIds]
  return {
    audit: createAuditReader(db),
    auditTree: createAuditTree(db),

    /**
     * Adds records of one kind; kinds come in order. Throws `TransferRefusedError` for what already exists, or is not in
     * one of the namespaces. Returns the number of skipped records: grants of principals that do not exist here, users
     * whose e-mail address is in use here, and records that depend on these.
     */
    insert: async (kind: string, records: readonly string[]) => {
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

    /** A source of one of the namespaces. */
    source: async (namespaceId: string, id: string): Promise<{ sha256: string; bytes: number } | null> =>
      await db.source.findFirst({
        where: { AND: [{ namespaceId }, { namespaceId: { in: ids } }], id },
        select: { sha256: true, bytes: true },
      }),

    /** After the last record: computes the counters, and rejects data that could not continue from its state. */
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

    /** As imported. */
    namespaces: (): Promise<TransferNamespace[]> => namespacesBy(db, { id: { in: ids } }),

    append: async (namespaceId: string, entry: AuditEntry) => {
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

const failure = z.object({
  meta: z.object({ driverAdapterError: z.object({ cause: z.object({ originalCode: z.string() }) }) }),
})

/** PostgreSQL's objection to a record, without its values, which may be private. Null for other errors. */
function refusalOf(error: unknown, kind: string): TransferRefusedError | null {
  const code = failure.safeParse(error).data?.meta.driverAdapterError.cause.originalCode ?? ''
  // unique_violation, foreign_key_violation; other codes of these classes: a value that does not fit its column.
  if (code === '23505') return new TransferRefusedError(`a record ${kind} already exists here`)
  if (code === '23503') return refersToNothing(kind)
  return /^2[23]/.test(code) ? new TransferRefusedError(`a record ${kind} is not one that the catalog takes`) : null
}

const refersToNothing = (kind: string) => new TransferRefusedError(`a record ${kind} refers to what is not in the file`)

export type TransferStore = ReturnType<typeof createTransferStore>
export type TransferWriter = ReturnType<typeof createTransferWriter>
