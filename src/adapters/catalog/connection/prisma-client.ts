import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from '../generated/client.ts'
import type { CatalogConfig } from './connect.ts'

/** Writers queue for the head row (and, embedded, for the one connection), so the waits are generous. */
const timeouts = { maxWait: 60_000, timeout: 120_000 }

export function createPrismaClient(kind: CatalogConfig['kind'], pool: pg.Pool): PrismaClient {
  // A pooler in front of a server may hand each statement to another session, which would not know the name.
  const options = kind === 'pglite' ? { statementNameGenerator: createStatementNames() } : {}
  return new PrismaClient({
    adapter: new PrismaPg(pool, options),
    errorFormat: 'minimal',
    transactionOptions: timeouts,
  })
}

/** More than the application has texts of its own; those that a caller's filters make beyond it stay unnamed. */
const maxNames = 200

/**
 * Names statements by their text, so that a connection parses and plans each only once: half of what a short read costs
 * the embedded database. An empty name is none.
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
