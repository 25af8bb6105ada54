import { resolve } from 'node:path'
import pg from 'pg'
import type { Log } from '../../../model/log.ts'
import { rowsOf, text } from '../database/columns.ts'
import { CatalogClient } from './driver/large-values.ts'
import { migrate } from './migrations/migrate.ts'
import { grantService } from './migrations/service-role.ts'
import { unusableCatalog } from './pglite/data-directory.ts'
import { createEraser, type Eraser } from './pglite/eraser.ts'
import { hasSpace, requireSpace } from './pglite/free-space.ts'
import { createSnapshots, type Snapshots } from './pglite/snapshots.ts'
import { type EmbeddedPostgres, startPglite } from './pglite/start.ts'
import { type InTurn, openServer } from './server/open-server.ts'
import type { Watcher } from './server/watcher.ts'

export type CatalogConfig = EmbeddedConfig | ServerConfig

interface Limits {
  /** What the process may keep of it in memory; 0 keeps nothing. */
  memoryBytes?: number
  /** How long a transaction may wait for its connection. Default: a minute. */
  transactionWaitMs?: number
}

interface EmbeddedConfig extends Limits {
  kind: 'pglite'
  dataDir: string
}

interface ServerConfig extends Limits {
  kind: 'postgresql'
  url: string
  /** The same database as the role that owns the tables and migrates them. Default: the role of `url`. */
  ownerUrl?: string | undefined
}

const migrations = new URL('../../../../prisma/migrations/', import.meta.url)

export interface ConnectOptions {
  /** The class of clients of the embedded database's one connection, for one that sees its statements. */
  observed?: ((client: typeof pg.Client) => typeof pg.Client) | undefined
  /** The embedded PostgreSQL of the data directory, where it is opening already. */
  embedded?: Promise<EmbeddedPostgres> | undefined
}

/** Connects and migrates: one code path for the embedded PostgreSQL and a server. */
export async function connect(config: CatalogConfig, log: Log, options: ConnectOptions = {}): Promise<Database> {
  const isEmbedded = config.kind === 'pglite'
  const database = isEmbedded ? await openEmbedded(config.dataDir, log, options) : await openServer(config.url, log)
  const { pool } = database
  try {
    if (config.kind === 'postgresql' && config.ownerUrl !== undefined) await migrateAsOwner(config.ownerUrl, pool, log)
    // No other process uses embedded data, so a newer schema there comes from a newer version.
    await migrate(pool, migrations, { newer: isEmbedded ? 'refused' : 'left alone' })
  } catch (error) {
    await database.close().catch(() => {})
    throw isEmbedded ? unusableCatalog(resolve(config.dataDir), error) : error
  }
  return database
}

/** The connections of a catalog. Only a server has `watcher`, only the embedded database has `eraser`. */
export interface Database {
  pool: pg.Pool
  watcher?: Watcher
  eraser?: Eraser
  /** Only of the embedded database. */
  snapshots?: Snapshots
  /** Runs a write of a namespace when a connection is available for it. */
  inTurn: InTurn
  /** Throws 503 while nothing can be written, if the database can detect that. */
  requireSpace?(): void
  close(): Promise<void>
}

async function openEmbedded(
  dataDir: string,
  log: Log,
  { observed, embedded: opening = startPglite({ dataDir }) }: ConnectOptions,
): Promise<Database> {
  const embedded = await opening
  const pool = new pg.Pool({ ...embedded.poolConfig, Client: observed?.(CatalogClient) ?? CatalogClient })
  // The pool replaces an idle connection that breaks; an unhandled event would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'a catalog connection broke'))
  const eraser = createEraser(pool, () => hasSpace(dataDir) && !snapshots.isHeld())
  const snapshots = createSnapshots(pool, {
    hasSpace: () => hasSpace(dataDir),
    holdMaintenance: async (isHeld) => {
      embedded.holdMaintenance(isHeld)
      if (isHeld) await eraser.idle()
    },
  })
  const close = async () => {
    // The files close anyway: the next start removes what this one could not.
    await eraser.finish().catch((error: unknown) => log.warn({ err: error }, 'hard-deleted rows were not erased'))
    await pool.end()
    await embedded.close()
  }
  // A pool of one connection is already a queue.
  return { pool, eraser, snapshots, inTurn: (_, work) => work(), requireSpace: () => requireSpace(dataDir), close }
}

/** Opens embedded data for a copy, as they are: nothing is migrated. */
export async function openEmbeddedSnapshots(
  dataDir: string,
): Promise<{ snapshots: Snapshots; close(): Promise<void> }> {
  const embedded = await startPglite({ dataDir })
  const pool = new pg.Pool(embedded.poolConfig)
  pool.on('error', () => {})
  const holdMaintenance = async (isHeld: boolean) => embedded.holdMaintenance(isHeld)
  const close = async () => {
    await pool.end()
    await embedded.close()
  }
  return { snapshots: createSnapshots(pool, { hasSpace: () => hasSpace(dataDir), holdMaintenance }), close }
}

/** Migrates as the owner of the tables and grants the service's role what it needs. */
async function migrateAsOwner(url: string, service: pg.Pool, log: Log): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 4000 })
  pool.on('error', (error) => log.warn({ err: error }, 'the connection of MIGRATION_DATABASE_URL broke'))
  try {
    const rows = await rowsOf(service, { role: text }, 'SELECT current_user AS role')
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
