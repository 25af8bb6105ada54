import { type Columns, type Row, readRows } from '../database/columns.ts'
import type { Db } from '../database/db.ts'
import { Prisma } from '../generated/client.ts'

/** Runs a statement for its rows. */
export type Read = (statement: Prisma.Sql) => Promise<unknown[]>

/** The declared columns of each statement: a test compares them with PostgreSQL's description of the statement. */
export const declaredColumns = new WeakMap<Prisma.Sql, Columns>()

/**
 * Rows of an SQL statement, read by the declared columns: `select(db, { unit_id: text })\`SELECT …\``. Where a typed
 * Prisma query does the same as fast, use that.
 */
export const select =
  <C extends Columns>(db: Db | Read, columns: C) =>
  async (strings: TemplateStringsArray, ...values: unknown[]): Promise<Row<C>[]> => {
    const statement = Prisma.sql(strings, ...values)
    declaredColumns.set(statement, columns)
    return readRows(columns, await (typeof db === 'function' ? db(statement) : db.$queryRaw<unknown[]>(statement)))
  }
