import { rootCause, ServiceError } from '../../errors.ts'
import type { Log } from '../../model/log.ts'
import { noTelemetry, type Telemetry } from '../../model/telemetry.ts'
import type { Catalog } from '../../ports/catalog.ts'
import { createDirectReads, createPrismaClient, observeStatements, observeWaits } from './connection/clients.ts'
import { type CatalogConfig, type ConnectOptions, connect, type Database } from './connection/connect.ts'
import type { Snapshots } from './connection/pglite/snapshots.ts'
import type { Db } from './database/db.ts'
import type { PrismaClient } from './generated/client.ts'
import { type CatalogMemory, defaultMemoryMb } from './memory/memory.ts'
import { createProvenMemory } from './memory/proven.ts'
import { createWatchedMemory } from './memory/watched.ts'
import { createAccessReader } from './sql/access.ts'
import { createAgentStore } from './sql/agents.ts'
import { createAuditReader, createExportLinks } from './sql/audit.ts'
import { createAuditTree } from './sql/audit-tree.ts'
import { createBillingStore } from './sql/billing.ts'
import { createSignInRecords, createTokenStore } from './sql/credentials.ts'
import { createDocReader } from './sql/docs.ts'
import { createDocumentReader } from './sql/documents.ts'
import { createEvaluationReader } from './sql/evaluation.ts'
import { hasPrincipals, ping } from './sql/first-statements.ts'
import { createGroupReader } from './sql/groups.ts'
import { createHeads, flushHead, hasChanged, lockHead, lockProvisioning, type WrittenUnits } from './sql/head.ts'
import { createChangeReader } from './sql/index-changes.ts'
import { createIndexCursors } from './sql/index-cursors.ts'
import { createInvitationReader } from './sql/invitations.ts'
import { createModelChangeReader } from './sql/plane-models.ts'
import { createProvisioner } from './sql/provisioner.ts'
import { createUnitReader } from './sql/read-units.ts'
import { createRegistryReader } from './sql/registry.ts'
import { createKeptAnswers, createRequestCounts } from './sql/requests.ts'
import { createUnitSelection } from './sql/select-units.ts'
import { createSourceLinks, createSourceReader } from './sql/sources.ts'
import { createTransferStore } from './sql/transfer.ts'
import { createUsageStore } from './sql/usage.ts'
import { createWriter } from './sql/writer.ts'

/** The catalog, and its client for a library that keeps its own tables there. */
export interface PrismaCatalog extends Catalog {
  client: PrismaClient
  /** Throws 503 while nothing can be written. For code that writes through the client. */
  requireSpace(): void
  /** Only of the embedded database. */
  snapshots?: Snapshots
}

/** Opens and migrates the catalog; `embedded` is its PostgreSQL, where that is opening already. */
export async function openCatalog(
  config: CatalogConfig,
  log: Log,
  telemetry: Telemetry = noTelemetry,
  embedded?: ConnectOptions['embedded'],
): Promise<PrismaCatalog> {
  const { kind, memoryBytes = defaultMemoryMb * 2 ** 20 } = config
  const isKept = memoryBytes > 0
  const watched = isKept && kind === 'pglite' ? createWatchedMemory(memoryBytes) : undefined
  // A server may have other writers: what is kept of it is proven by each request.
  const proven = isKept && kind === 'postgresql' ? createProvenMemory(memoryBytes) : undefined
  const database = await connect(config, log, { observed: watched?.observed, embedded })
  observeWaits(database.pool, telemetry)
  observeStatements(database.pool, telemetry)
  return createCatalog(config, database, telemetry, watched ?? proven)
}

const busy = () =>
  new ServiceError('overloaded', 'the database is busy, and nothing of this request was done: send it again later', {
    retryAfter: 1,
  })

function createCatalog(
  { kind: engine, transactionWaitMs }: CatalogConfig,
  { pool, watcher, eraser, snapshots, inTurn, requireSpace = () => {}, close }: Database,
  telemetry: Telemetry,
  memory: CatalogMemory | undefined,
): PrismaCatalog {
  const prisma = createPrismaClient(engine, pool, transactionWaitMs)
  const access = { ...createAccessReader(prisma), hasPrincipals: () => hasPrincipals(pool) }
  const units = createUnitReader(prisma)
  const transaction = async <T>(work: (db: Db) => Promise<T>) => {
    requireSpace()
    let hasBegun = false
    const begin = (db: Db) => {
      hasBegun = true
      return work(db)
    }
    return prisma.$transaction(begin).catch((error: Error) => {
      // Prisma has one code for it and for a transaction that takes too long.
      const waitedTooLong = !hasBegun && 'code' in error && error.code === 'P2028'
      throw waitedTooLong ? busy() : rootCause(error)
    })
  }
  const report = (written: readonly WrittenUnits[]) => {
    for (const { plane, change, units } of written) telemetry.unitsWritten(plane, change, units)
  }
  return {
    engine,
    client: prisma,
    requireSpace,
    ...(snapshots && { snapshots }),
    ping: async () => {
      if (watcher) await watcher.ping()
      else await ping(pool)
    },
    ...(watcher && { onChange: watcher.listen, withClusterLock: watcher.withClusterLock }),
    ...(eraser && { eraseDeleted: eraser.runWhenDue }),
    connections: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: async () => {
      await prisma.$disconnect()
      await close()
    },
    access:
      memory?.access(
        access,
        createDirectReads(pool, () => watcher?.isPooled() ?? false),
      ) ?? access,
    units: memory?.units(units) ?? units,
    knownUnits: (namespaceId) => createUnitSelection(prisma, namespaceId),
    changes: createChangeReader(prisma),
    indexCursors: createIndexCursors(prisma),
    modelChanges: createModelChangeReader(prisma),
    usage: createUsageStore(prisma),
    sources: createSourceReader(prisma, () => eraser?.request()),
    documents: createDocumentReader(prisma),
    docs: createDocReader(prisma),
    sourceLinks: createSourceLinks(prisma),
    registry: createRegistryReader(prisma),
    groups: createGroupReader(prisma),
    signIn: createSignInRecords(prisma),
    invitations: createInvitationReader(prisma),
    tokens: createTokenStore(prisma),
    agents: createAgentStore(prisma),
    audit: createAuditReader(prisma),
    auditTree: createAuditTree(prisma),
    exports: createExportLinks(prisma),
    kept: createKeptAnswers(prisma),
    requests: createRequestCounts(prisma),
    billing: createBillingStore(prisma),
    evaluation: createEvaluationReader(prisma),
    transfer: createTransferStore(prisma),
    transact: async (namespaceId, work, options) => {
      const queuedAt = performance.now()
      const { result, changed, purged, written } = await inTurn(namespaceId, () =>
        transaction(async (db) => {
          memory?.within(namespaceId)
          const head = await lockHead(db, namespaceId, options?.orDeleted)
          telemetry.waited('namespace_lock', performance.now() - queuedAt)
          const result = await work(createWriter(db, head))
          await flushHead(db, head)
          return { result, changed: hasChanged(head), purged: head.purged, written: head.written }
        }),
      )
      report(written)
      if (changed) {
        memory?.changed(namespaceId)
        watcher?.changed(namespaceId)
      }
      if (purged) eraser?.request()
      return result
    },
    provision: async (work) => {
      const { result, changed, written } = await transaction(async (db) => {
        await lockProvisioning(db)
        const heads = createHeads(db)
        const result = await work(createProvisioner(db, heads))
        return { result, changed: await heads.flush(), written: heads.written() }
      })
      report(written)
      for (const namespaceId of changed) {
        memory?.changed(namespaceId)
        watcher?.changed(namespaceId)
      }
      return result
    },
  }
}
