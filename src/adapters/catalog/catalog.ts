import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { Catalog } from '../../ports/catalog.ts'
import type { Log } from '../../ports/log.ts'
import { createAccessReader } from './access.ts'
import { createChangeReader } from './changes.ts'
import type { Db } from './db.ts'
import { PrismaClient } from './generated/client.ts'
import { migrate } from './migrate.ts'
import { startPglite } from './pglite/start.ts'
import { createProvisioner, lockProvisioning } from './provision.ts'
import { createSourceReader } from './sources.ts'
import { createStatementNames } from './statement-names.ts'
import { createUnitReader } from './units.ts'
import { createUsageStore } from './usage.ts'
import { flushHead, lockHead } from './writer/head.ts'
import { createWriter } from './writer/writer.ts'

export type CatalogConfig = { kind: 'pglite'; dataDir: string } | { kind: 'postgresql'; url: string }

const migrations = new URL('../../../prisma/migrations/', import.meta.url)

/** Writers queue for the head row (and, embedded, for the one connection), so the waits are generous. */
const patience = { maxWait: 60_000, timeout: 120_000 }

/** Opens and migrates the catalog: one code path for the embedded PostgreSQL and a server. */
export async function openCatalog(config: CatalogConfig, log: Log): Promise<Catalog> {
  const embedded = config.kind === 'pglite' ? await startPglite({ dataDir: config.dataDir }) : null
  const pool = new pg.Pool(embedded?.poolConfig ?? serverPool(config))
  // An idle connection that breaks is replaced by the next query; unhandled, the event would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'a catalog connection broke'))
  const close = async () => {
    await pool.end()
    await embedded?.close()
  }
  try {
    await migrate(pool, migrations)
  } catch (error) {
    await close()
    throw error
  }
  return createCatalog(config.kind, pool, close)
}

/** A server that does not answer is an error soon, not a request that hangs. */
const serverPool = (config: CatalogConfig): pg.PoolConfig =>
  config.kind === 'postgresql' ? { connectionString: config.url, max: 10, connectionTimeoutMillis: 4000 } : {}

function createCatalog(engine: Catalog['engine'], pool: pg.Pool, closePool: () => Promise<void>): Catalog {
  // A pooler in front of a server may hand each statement to another session, which would not know the name.
  const options = engine === 'pglite' ? { statementNameGenerator: createStatementNames() } : {}
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, options), errorFormat: 'minimal' })
  const transaction = <T>(work: (db: Db) => Promise<T>) => prisma.$transaction(work, patience)
  return {
    engine,
    ping: async () => {
      await prisma.$queryRaw`SELECT 1`
    },
    close: async () => {
      await prisma.$disconnect()
      await closePool()
    },
    access: createAccessReader(prisma),
    units: createUnitReader(prisma),
    changes: createChangeReader(prisma),
    usage: createUsageStore(prisma),
    sources: createSourceReader(prisma),
    transact: (namespaceId, work) =>
      transaction(async (db) => {
        const head = await lockHead(db, namespaceId)
        const result = await work(createWriter(db, head))
        await flushHead(db, head)
        return result
      }),
    provision: (work) =>
      transaction(async (db) => {
        await lockProvisioning(db)
        return work(createProvisioner(db))
      }),
  }
}
