import { resolve } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { Catalog } from '../../ports/catalog.ts'
import type { Log } from '../../ports/log.ts'
import { createAccessReader } from './access.ts'
import { createAuditReader } from './audit.ts'
import { createAuditTree } from './audit-tree.ts'
import { createBillingStore } from './billing/store.ts'
import { createChangeReader } from './changes.ts'
import type { Db } from './db.ts'
import { createEvaluationReader } from './evaluation.ts'
import { createExportLinks } from './export-links.ts'
import { PrismaClient } from './generated/client.ts'
import { grantService } from './grants.ts'
import { createIndexCursors } from './index-cursors.ts'
import { migrate } from './migrate.ts'
import { createModelChangeReader } from './model-changes.ts'
import { unusableCatalog } from './pglite/data-directory.ts'
import { createEraser, type Eraser } from './pglite/eraser.ts'
import { hasSpace, requireSpace, storageFailure } from './pglite/free-space.ts'
import { startPglite } from './pglite/start.ts'
import { createProvisioner, lockProvisioning } from './provision.ts'
import { createRegistryReader } from './registry/reader.ts'
import { openServer } from './server/open-server.ts'
import type { Turns } from './server/turns.ts'
import type { Watcher } from './server/watcher.ts'
import { createSourceReader } from './sources.ts'
import { createStatementNames } from './statement-names.ts'
import { createTokenStore } from './tokens.ts'
import { createTransferStore } from './transfer/store.ts'
import { createUnitReader } from './units.ts'
import { createUsageStore } from './usage.ts'
import { createHeads, flushHead, lockHead } from './writer/head.ts'
import { createWriter } from './writer/writer.ts'

export type CatalogConfig = { kind: 'pglite'; dataDir: string } | ServerConfig

interface ServerConfig {
  kind: 'postgresql'
  url: string
  /** The same database as the role that owns the tables and migrates them; by default the role of `url` does. */
  ownerUrl?: string | undefined
}

/** The catalog, and the client under it for a library that keeps tables of its own there. */
export interface PrismaCatalog extends Catalog {
  client: PrismaClient
  /** Throws 503 while nothing can be written: for what writes through the client. */
  requireSpace(): void
}

const migrations = new URL('../../../prisma/migrations/', import.meta.url)

/** Writers queue for the head row (and, embedded, for the one connection), so the waits are generous. */
const patience = { maxWait: 60_000, timeout: 120_000 }

/** Opens and migrates the catalog: one code path for the embedded PostgreSQL and a server. */
export async function openCatalog(config: CatalogConfig, log: Log): Promise<PrismaCatalog> {
  const isEmbedded = config.kind === 'pglite'
  const database = isEmbedded ? await openEmbedded(config.dataDir, log) : await openServer(config.url, log)
  const { pool } = database
  try {
    if (config.kind === 'postgresql' && config.ownerUrl !== undefined) await migrateAsOwner(config.ownerUrl, pool, log)
    // Nobody else runs on embedded data, so what is newer there was left by a newer version.
    await migrate(pool, migrations, { newer: isEmbedded ? 'refused' : 'left alone' })
  } catch (error) {
    await database.close().catch(() => {})
    throw isEmbedded ? unusableCatalog(resolve(config.dataDir), error) : error
  }
  return createCatalog(config.kind, database)
}

/** The connections of a catalog, and what only a server (`watcher`) or the embedded database (`eraser`) has. */
interface Database {
  pool: pg.Pool
  watcher?: Watcher
  eraser?: Eraser
  /** Runs a write of a namespace when it may have a connection. */
  inTurn: Turns
  /** Throws 503 while nothing can be written, where that can be known. */
  requireSpace?(): void
  close(): Promise<void>
}

async function openEmbedded(dataDir: string, log: Log): Promise<Database> {
  const embedded = await startPglite({ dataDir })
  const pool = new pg.Pool(embedded.poolConfig)
  // An idle connection that breaks is replaced by the next query; unhandled, the event would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'a catalog connection broke'))
  const eraser = createEraser(pool, () => hasSpace(dataDir))
  const close = async () => {
    // Those files close all the same: the next start removes what this one could not.
    await eraser.finish().catch((error: unknown) => log.warn({ err: error }, 'hard-deleted rows were not erased'))
    await pool.end()
    await embedded.close()
  }
  // The pool of one is a queue already.
  return { pool, eraser, inTurn: (_, work) => work(), requireSpace: () => requireSpace(dataDir), close }
}

/** Migrates as the owner of the tables, and lets the service's role do what the service needs. */
async function migrateAsOwner(url: string, service: pg.Pool, log: Log): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 4000 })
  pool.on('error', (error) => log.warn({ err: error }, 'the connection of MIGRATION_DATABASE_URL broke'))
  try {
    const { rows } = await service.query<{ role: string }>('SELECT current_user AS role')
    const finish = async (owner: pg.PoolClient) => {
      for (const { role } of rows) {
        const weakness = await grantService(owner, role)
        if (weakness !== null) log.warn({}, `the role of DATABASE_URL can change audit rows: ${weakness}`)
      }
    }
    await migrate(pool, migrations, { finish })
  } finally {
    await pool.end()
  }
}

function createCatalog(
  engine: Catalog['engine'],
  { pool, watcher, eraser, inTurn, requireSpace = () => {}, close }: Database,
): PrismaCatalog {
  // A pooler in front of a server may hand each statement to another session, which would not know the name.
  const options = engine === 'pglite' ? { statementNameGenerator: createStatementNames() } : {}
  const adapter = new PrismaPg(pool, options)
  const prisma = new PrismaClient({ adapter, errorFormat: 'minimal', transactionOptions: patience })
  const transaction = async <T>(work: (db: Db) => Promise<T>) => {
    requireSpace()
    return prisma.$transaction(work).catch((error: unknown) => {
      throw storageFailure(error) ?? error
    })
  }
  return {
    engine,
    client: prisma,
    requireSpace,
    ping: async () => {
      if (watcher) await watcher.ping()
      else await prisma.$queryRaw`SELECT 1`
    },
    ...(watcher && { onChange: watcher.listen, alone: watcher.alone }),
    ...(eraser && { eraseDeleted: eraser.runWhenDue }),
    close: async () => {
      await prisma.$disconnect()
      await close()
    },
    access: createAccessReader(prisma),
    units: createUnitReader(prisma),
    changes: createChangeReader(prisma),
    indexCursors: createIndexCursors(prisma),
    modelChanges: createModelChangeReader(prisma),
    usage: createUsageStore(prisma),
    sources: createSourceReader(prisma),
    registry: createRegistryReader(prisma),
    tokens: createTokenStore(prisma),
    audit: createAuditReader(prisma),
    auditTree: createAuditTree(prisma),
    exports: createExportLinks(prisma),
    billing: createBillingStore(prisma),
    evaluation: createEvaluationReader(prisma),
    transfer: createTransferStore(prisma),
    transact: async (namespaceId, work, options) => {
      const { result, changed, purged } = await inTurn(namespaceId, () =>
        transaction(async (db) => {
          const head = await lockHead(db, namespaceId, options?.orDeleted)
          const { seq } = head
          const result = await work(createWriter(db, head))
          await flushHead(db, head)
          return { result, changed: head.seq !== seq, purged: head.purged }
        }),
      )
      if (changed) watcher?.changed(namespaceId)
      if (purged) eraser?.request()
      return result
    },
    provision: async (work) => {
      const { result, changed } = await transaction(async (db) => {
        await lockProvisioning(db)
        const heads = createHeads(db)
        const result = await work(createProvisioner(db, heads))
        return { result, changed: await heads.flush() }
      })
      for (const namespaceId of changed) watcher?.changed(namespaceId)
      return result
    },
  }
}
