import { type Columns, type Row, readRows } from './columns.ts'

/** A connection, or a pool of them. */
export interface Client {
  query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

/** The rows of a statement that administers the database, read by the declared columns. */
export const rowsOf = async <C extends Columns>(
  client: Client,
  columns: C,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row<C>[]> => readRows(columns, (await client.query(sql, [...values])).rows)
