import type { Db } from '../database/db.ts'
import { type TransferTable, transferTables } from './tables.ts'

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
  const values = [...(namespaceId === null ? [] : [namespaceId]), ...(after ?? [])]
  const records = await db.$queryRawUnsafe<{ row: string; key: string[] }[]>(
    pageQuery(table, namespaceId === null, after !== null),
    ...values,
  )
  return { rows: records.map(({ row }) => row), last: records.at(-1)?.key ?? [] }
}

/** Parameters: the namespace (absent for all), then the key after which the page begins. */
function pageQuery(
  { name, columns, key, belongs, derived, page }: TransferTable,
  all: boolean,
  goesOn: boolean,
): string {
  const fields = [
    ...columns.map(([column, type]) => `${read(`t."${column}"`, type)} AS "${column}"`),
    ...Object.entries(derived).map(([field, sql]) => `${sql} AS "${field}"`),
  ]
  const keys = key.map((column) => `t."${column}"`)
  const first = all ? 1 : 2
  const bounds = keys.map((_, i) => `$${first + i}`)
  const conditions = [
    belongs.replaceAll('?', all ? ' IS NOT NULL' : ' = $1'),
    ...(goesOn ? [`(${keys}) > (${bounds.map((bound, i) => `${bound}::text::${keyType(columns, key[i])}`)})`] : []),
  ]
  // Limits each page before its rows become JSON.
  return `SELECT (SELECT row_to_json(r)::text FROM (SELECT ${fields}) r) AS row, ARRAY[${keys.map((k) => `${k}::text`)}] AS key
    FROM (SELECT * FROM "${name}" t WHERE ${conditions.join(' AND ')} ORDER BY ${keys} LIMIT ${page}) t ORDER BY ${keys}`
}

const keyType = (columns: TransferTable['columns'], name: string | undefined) =>
  columns.find(([column]) => column === name)?.[1] ?? 'bigint'

/** Bytes as base64 in one line. */
const read = (column: string, type: string) =>
  type === 'bytea' ? `translate(encode(${column}, 'base64'), E'\\n', '')` : column
