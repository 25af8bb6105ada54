import type { Log } from '../../model/log.ts'
import type { Catalog } from '../../ports/catalog.ts'
import { type CatalogConfig, connect, type Database } from './connection/connect.ts'
import { storageFailure } from './connection/pglite/free-space.ts'
import { createPrismaClient } from './connection/prisma-client.ts'
import type { Db } from './database/db.ts'
import type { PrismaClient } from './generated/client.ts'
import { createProvisioner, lockProvisioning } from './provisioning/provisioner.ts'
import { createAccessReader } from './reads/access.ts'
import { createAuditReader } from './reads/audit.ts'
import { createAuditTree } from './reads/audit-tree.ts'
import { createBillingStore } from './reads/billing.ts'
import { createChangeReader } from './reads/changes.ts'
import { createEvaluationReader } from './reads/evaluation.ts'
import { createExportLinks } from './reads/export-links.ts'
import { createIndexCursors } from './reads/index-cursors.ts'
import { createModelChangeReader } from './reads/model-changes.ts'
import { createRegistryReader } from './reads/registry.ts'
import { createSourceReader } from './reads/sources.ts'
import { createTokenStore } from './reads/tokens.ts'
import { createUnitReader } from './reads/units.ts'
import { createUsageStore } from './reads/usage.ts'
import { createTransferStore } from './transfer/store.ts'
import { createHeads, flushHead, lockHead } from './writer/head.ts'
import { createWriter } from './writer/writer.ts'

/** The catalog, and its client for a library that keeps its own tables there. */
export interface PrismaCatalog extends Catalog {
  client: PrismaClient
  /** Throws 503 while nothing can be written. For code that writes through the client. */
  requireSpace(): void
}

/** Opens and migrates the catalog. */
export const openCatalog = async (config: CatalogConfig, log: Log): Promise<PrismaCatalog> =>
  createCatalog(config.kind, await connect(config, log))

function createCatalog(
  engine: Catalog['engine'],
  { pool, watcher, eraser, inTurn, requireSpace = () => {}, close }: Database,
): PrismaCatalog {
  const prisma = createPrismaClient(engine, pool)
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
    ...(watcher && { onChange: watcher.listen, withClusterLock: watcher.withClusterLock }),
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
