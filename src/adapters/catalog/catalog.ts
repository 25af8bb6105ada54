import type { Log } from '../../model/log.ts'
import type { Catalog } from '../../ports/catalog/catalog.ts'
import { type CatalogConfig, connect, type Database } from './connection/connect.ts'
import { storageFailure } from './connection/pglite/free-space.ts'
import { createPrismaClient } from './connection/prisma-client.ts'
import type { Db } from './database/db.ts'
import type { PrismaClient } from './generated/client.ts'
import { createMemory, type Memory } from './memory/memory.ts'
import { createProvisioner } from './provisioning/provisioner.ts'
import { createAccessReader } from './reads/access.ts'
import { createAuditTree } from './reads/audit-tree.ts'
import { createBillingStore } from './reads/billing.ts'
import { createDocumentReader } from './reads/documents.ts'
import { createEvaluationReader } from './reads/evaluation.ts'
import { createExportLinks } from './reads/export-links.ts'
import { createIndexCursors } from './reads/index-cursors.ts'
import { createRegistryReader } from './reads/registry.ts'
import { createSourceLinks } from './reads/source-links.ts'
import { createSourceReader } from './reads/sources.ts'
import { createTokenStore } from './reads/tokens.ts'
import { createUsageStore } from './reads/usage.ts'
import { createAuditReader } from './sql/audit/audit.ts'
import { createHeads, flushHead, hasChanged, lockHead } from './sql/head.ts'
import { lockProvisioning, ping } from './sql/transaction.ts'
import { createTransferStore } from './sql/transfer/store.ts'
import { createChangeReader } from './sql/units/changes.ts'
import { createModelChangeReader } from './sql/units/model-changes.ts'
import { createUnitReader } from './sql/units/read-units.ts'
import { createWriter } from './writer/writer.ts'

/** The catalog, and its client for a library that keeps its own tables there. */
export interface PrismaCatalog extends Catalog {
  client: PrismaClient
  /** Throws 503 while nothing can be written. For code that writes through the client. */
  requireSpace(): void
}

const defaultMemoryBytes = 64 * 2 ** 20

/** Opens and migrates the catalog. */
export async function openCatalog(config: CatalogConfig, log: Log): Promise<PrismaCatalog> {
  // Other processes may write to a server, so only the embedded database is kept in memory.
  const maxBytes = config.kind === 'pglite' ? (config.memoryBytes ?? defaultMemoryBytes) : 0
  const memory = maxBytes > 0 ? createMemory(maxBytes) : undefined
  return createCatalog(config.kind, await connect(config, log, memory), memory)
}

function createCatalog(
  engine: Catalog['engine'],
  { pool, watcher, eraser, inTurn, requireSpace = () => {}, close }: Database,
  memory: Memory | undefined,
): PrismaCatalog {
  const prisma = createPrismaClient(engine, pool)
  const access = createAccessReader(prisma)
  const units = createUnitReader(prisma)
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
      else await ping(prisma)
    },
    ...(watcher && { onChange: watcher.listen, withClusterLock: watcher.withClusterLock }),
    ...(eraser && { eraseDeleted: eraser.runWhenDue }),
    close: async () => {
      await prisma.$disconnect()
      await close()
    },
    access: memory ? memory.access(access) : access,
    units: memory ? memory.units(units) : units,
    changes: createChangeReader(prisma),
    indexCursors: createIndexCursors(prisma),
    modelChanges: createModelChangeReader(prisma),
    usage: createUsageStore(prisma),
    sources: createSourceReader(prisma),
    documents: createDocumentReader(prisma),
    sourceLinks: createSourceLinks(prisma),
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
          memory?.within(namespaceId)
          const head = await lockHead(db, namespaceId, options?.orDeleted)
          const result = await work(createWriter(db, head))
          await flushHead(db, head)
          return { result, changed: hasChanged(head), purged: head.purged }
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
