import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { Telemetry } from '../../../model/telemetry.ts'
import { PrismaClient } from '../generated/client.ts'
import type { CatalogConfig } from './connect.ts'

/** Writers queue for the head row (and, if embedded, for the one connection), so the timeouts are generous. */
export function createPrismaClient(kind: CatalogConfig['kind'], pool: pg.Pool, maxWait = 60_000): PrismaClient {
  // A server may have a pooler in front of it, whose sessions do not know each other's names.
  const options = kind === 'pglite' ? { statementNameGenerator: createStatementNames() } : {}
  return new PrismaClient({
    adapter: new PrismaPg(pool, options),
    errorFormat: 'minimal',
    transactionOptions: { maxWait, timeout: 120_000 },
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

type Query = (...args: unknown[]) => unknown

/** Reports each statement of the pool by its first word, where that is wanted. Its text never leaves. */
export function observeStatements(pool: pg.Pool, { database }: Telemetry): void {
  if (!database) return
  const seen = new WeakSet<pg.PoolClient>()
  pool.on('acquire', (client) => {
    if (seen.has(client)) return
    seen.add(client)
    const query = client.query.bind(client) as Query
    const observed: Query = (statement, ...rest) => {
      const call = { system: 'postgresql' as const, operation: operationOf(statement) }
      const callback = rest.at(-1)
      if (typeof callback === 'function') {
        const ended = Promise.withResolvers<void>()
        database(call, () => ended.promise).catch(() => {})
        const done = (...results: unknown[]) => {
          if (results[0]) ended.reject(results[0])
          else ended.resolve()
          callback(...results)
        }
        return query(statement, ...rest.slice(0, -1), done)
      }
      const isPromised = typeof statement === 'string' || !('submit' in (statement as object))
      return isPromised
        ? database(call, () => query(statement, ...rest) as Promise<unknown>)
        : query(statement, ...rest)
    }
    client.query = observed as typeof client.query
  })
}

function operationOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : `${(statement as { text?: string }).text}`
  return /^\s*([a-z]{1,20})\b/i.exec(text)?.[1]?.toUpperCase() ?? 'STATEMENT'
}

/** Reports how long each use of the pool waits for its connection. */
export function observeWaits(pool: pg.Pool, telemetry: Telemetry): void {
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown
  // Statements outside of transactions pass here too: `pool.query` connects with a callback.
  const observed = (callback?: (...results: unknown[]) => void): unknown => {
    const began = performance.now()
    const waited = () => telemetry.waited('connection', performance.now() - began)
    if (callback) {
      return connect((...results: unknown[]) => {
        waited()
        callback(...results)
      })
    }
    return (connect() as Promise<unknown>).finally(waited)
  }
  pool.connect = observed as typeof pool.connect
}
