import pg from 'pg'
import { createStatementNames } from './statement-names.ts'

/** As `columns.ts` expects them: PostgreSQL's bigint (OID 20) is one here, too. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig

/**
 * Runs a read outside of transactions by the pool itself, for its rows. Of a statement that each request runs, Prisma takes more
 * than half of the CPU. A connection plans each text once, unless a pooler is in front of the server: it may send a statement to
 * another session, which does not know its name.
 */
export function createDirectReads(pool: pg.Pool, isPooled: () => boolean) {
  const names = createStatementNames()
  return async ({ text, values }: { text: string; values: unknown[] }): Promise<unknown[]> => {
    const name = isPooled() ? '' : names({ sql: text })
    return (await pool.query({ name, text, values, types })).rows
  }
}
