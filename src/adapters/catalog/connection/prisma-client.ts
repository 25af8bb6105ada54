import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from '../generated/client.ts'
import { isProof } from '../sql/access/proof.ts'
import type { CatalogConfig } from './connect.ts'

/** Writers queue for the head row (and, if embedded, for the one connection), so the timeouts are generous. */
const timeouts = { maxWait: 60_000, timeout: 120_000 }

/** `isPooled`: whether a pooler is in front of the server. */
export function createPrismaClient(
  kind: CatalogConfig['kind'],
  pool: pg.Pool,
  isPooled: () => boolean = () => false,
): PrismaClient {
  const names = createStatementNames()
  // A pooler may send each statement to another session, which does not know the name.
  const ofServer = (query: { sql: string }) => (isProof(query.sql) && !isPooled() ? names(query) : '')
  const options = { statementNameGenerator: kind === 'pglite' ? names : ofServer }
  return new PrismaClient({
    adapter: new PrismaPg(pool, options),
    errorFormat: 'minimal',
    transactionOptions: timeouts,
  })
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
