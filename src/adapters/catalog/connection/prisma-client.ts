import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { PrismaClient } from '../generated/client.ts'
import type { CatalogConfig } from './connect.ts'
import { createStatementNames } from './statement-names.ts'

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
