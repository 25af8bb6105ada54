import { text, texts } from '../../database/columns.ts'
import type { Db } from '../../database/db.ts'
import { Prisma } from '../../generated/client.ts'
import { select } from '../select.ts'
import { type TransferTable, transferTables, within } from './tables.ts'

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
