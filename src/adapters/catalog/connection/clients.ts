import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../generated/client.ts'
import type { CatalogConfig } from './connect.ts'

/** Writers queue for the head row (and, if embedded, for the one connection), so the timeouts are generous. */
const timeouts = { maxWait: 60_000, timeout: 120_000 }

export function createPrismaClient(kind: CatalogConfig['kind'], pool: pg.Pool): PrismaClient {
  // A server may have a pooler in front of it, whose sessions do not know each other's names.
  const options = kind === 'pglite' ? { statementNameGenerator: createStatementNames() } : {}
  return new PrismaClient({
    adapter: new PrismaPg(pool, options),
    errorFormat: 'minimal',
    transactionOptions: timeouts,
  })
}

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

/** More than the texts of the application itself; texts beyond it, made by callers' filters, stay unnamed. */
const maxNames = 200

/**
 * Names statements by their text, so that a connection parses and plans each only once. Parsing and planning are half
 * the cost of a short read in the embedded database. An empty name means no name.
 */
function createStatementNames(): (query: { sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined || names.size >= maxNames) return known ?? ''
    const name = `s${names.size + 1}`
    names.set(sql, name)
    return name
  }
}
