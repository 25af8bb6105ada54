import { type Columns, type Row, readRows } from '../database/columns.ts'
import { Prisma } from '../generated/client.ts'

/** What runs a statement: a transaction, Prisma's client, or the pool itself. */
export interface Queries {
  $queryRaw<T>(statement: Prisma.Sql): PromiseLike<T>
}

/** The declared columns of each statement: a test compares them with PostgreSQL's description of the statement. */
export const declaredColumns = new WeakMap<Prisma.Sql, Columns>()

/**
 * Rows of an SQL statement, read by the declared columns: `select(db, { unit_id: text })\`SELECT …\``. Where a typed
 * Prisma query does the same as fast, use that.
 */
export const select =
  <C extends Columns>(db: Queries, columns: C) =>
  async (strings: TemplateStringsArray, ...values: unknown[]): Promise<Row<C>[]> => {
    const statement = Prisma.sql(strings, ...values)
    declaredColumns.set(statement, columns)
    return readRows(columns, await db.$queryRaw<unknown[]>(statement))
  }
