import { Prisma } from '../generated/client.ts'
import type { Column, Columns, ColumnsOf, Row } from './columns.ts'
import type { Db } from './db.ts'

/** What each statement is declared to select: a test compares it with what PostgreSQL says of the statement. */
export const declaredColumns = new WeakMap<Prisma.Sql, Columns>()

/**
 * Rows of a statement in SQL, as the declared columns read them: `select(db, { unit_id: text })\`SELECT …\``. Where a typed
 * query of Prisma's does the same as fast, that is used.
 */
export const select =
  <C extends Columns>(db: Db, columns: C) =>
  async (strings: TemplateStringsArray, ...values: unknown[]): Promise<Row<C>[]> => {
    const statement = Prisma.sql(strings, ...values)
    declaredColumns.set(statement, columns)
    return readRows<Row<C>>(columns as Columns as ColumnsOf<Row<C>>, await db.$queryRaw<unknown[]>(statement))
  }

/** Checks what was selected, in place. */
function readRows<R>(columns: ColumnsOf<R>, records: readonly unknown[]): R[] {
  const entries: [string, Column<unknown>][] = Object.entries(columns)
  return records.map((record) => {
    const row = record as Record<string, unknown>
    for (const [name, { read }] of entries) row[name] = read(row[name])
    return row as R
  })
}
