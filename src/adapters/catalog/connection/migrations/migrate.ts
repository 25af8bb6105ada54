import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Pool, PoolClient } from 'pg'
import { OperatorError } from '../../../../model/operator-error.ts'
import { version } from '../../../../version.ts'
import { bool, type Row, rowsOf, text } from '../../database/columns.ts'

/** The database and the migration files disagree; an operator must look into it. */
export class MigrationConflictError extends OperatorError {
  override readonly name = 'MigrationConflictError'
}

/** A migration is pending, and the connected role may not migrate. */
class MigrationsMissingError extends OperatorError {
  override readonly name = 'MigrationsMissingError'

  constructor(names: readonly string[], role: string) {
    super(
      `the database lacks ${names.join(', ')}, and the role ${role} may not migrate it: ` +
        'set MIGRATION_DATABASE_URL to the role that owns its tables, or first start a process that has it set',
    )
  }
}

/** Prisma's own number, so that this and `prisma migrate deploy` wait for each other. */
const advisoryLock = 72707369

/** Prisma's own table, so that `prisma migrate deploy` and `status` can take over at any time. */
const createTable = `
  CREATE TABLE _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
  )`

interface MigrateOptions {
  /** Runs last, under the same lock. */
  finish?: (client: PoolClient) => Promise<void>
  /** What happens to a database that a newer version has migrated. */
  newer?: 'left alone' | 'refused'
}

const recordedColumns = { migration_name: text, checksum: text, finished: bool }

type Recorded = Row<typeof recordedColumns>

/**
 * Brings a database up to date with `migrationsDir`; returns the names of the migrations it applied, in order.
 * Safe to run from several processes and versions at once: migrations that a newer version applied are left alone.
 * Throws `MigrationConflictError`, having changed nothing, when an applied migration was edited, is missing in this
 * version, or is recorded as failed. A migration that fails is rolled back and leaves no record, so its file must not
 * contain statements that can't run in a transaction (CREATE INDEX CONCURRENTLY, VACUUM).
 * A role that may not migrate succeeds if no migration is pending; otherwise this throws `MigrationsMissingError`.
 */
export async function migrate(
  pool: Pool,
  migrationsDir: URL | string,
  { finish = async () => {}, newer = 'left alone' }: MigrateOptions = {},
): Promise<string[]> {
  const migrations = await readMigrations(migrationsDir)
  // One client for all of it: the session holds the lock, and the embedded pool has no second client.
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock])
    const { exists, may, role } = await rightsOf(client)
    const recorded = exists ? await readRecorded(client) : []
    if (newer === 'refused') refuseNewer(migrations, recorded)
    const pending = pendingOf(migrations, recorded)
    if (pending.length > 0 && !may)
      throw new MigrationsMissingError(
        pending.map(({ name }) => name),
        role,
      )
    if (!exists) await client.query(createTable)
    for (const migration of pending) await apply(client, migration)
    await finish(client)
    return pending.map(({ name }) => name)
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [advisoryLock]).catch((error: Error) => {
      broken = error
    })
    // A client that can't unlock is dropped; that ends its session and the session's locks.
    client.release(broken)
  }
}

/** `exists`: the table of migrations exists. `may`: the role may add to the schema and to that table. */
const rightsColumns = { role: text, exists: bool, may: bool }

async function rightsOf(client: PoolClient): Promise<Row<typeof rightsColumns>> {
  const [rights] = await rowsOf(
    client,
    rightsColumns,
    `SELECT current_user AS role, c.oid IS NOT NULL AS exists, coalesce(has_schema_privilege(current_schema(), 'CREATE'), FALSE)
       AND coalesce(pg_has_role(c.relowner, 'USAGE'), TRUE) AS may
     FROM (SELECT to_regclass('_prisma_migrations') AS oid) AS t LEFT JOIN pg_class c ON c.oid = t.oid`,
  )
  if (!rights) throw new Error('the database does not say what its role may do')
  return rights
}

async function readRecorded(client: PoolClient): Promise<Recorded[]> {
  return rowsOf(
    client,
    recordedColumns,
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY started_at`,
  )
}

function refuseNewer(migrations: Migration[], recorded: Recorded[]): void {
  const [own = '', found = ''] = [migrations.at(-1)?.name, recorded.at(-1)?.migration_name]
  if (found <= own || migrations.some(({ name }) => name === found)) return
  throw new MigrationConflictError(
    `the data was written by a newer version of this service: it is at ${found}, and this version (${version}) is at ${own}; start the newer version, or restore a backup of before`,
  )
}

function pendingOf(migrations: Migration[], recorded: Recorded[]): Migration[] {
  const files = new Map(migrations.map((migration) => [migration.name, migration]))
  const newest = migrations.at(-1)?.name
  for (const { migration_name: name, checksum, finished } of recorded) {
    const file = files.get(name)
    if (!finished) throw new MigrationConflictError(`migration ${name} is recorded as failed; resolve it by hand first`)
    // A newer version migrated further. Migrations only expand, so this version still works until it is replaced.
    if (!file && newest !== undefined && name > newest) continue
    if (!file) throw new MigrationConflictError(`the database has migration ${name}, which this version does not know`)
    if (file.checksum !== checksum) {
      throw new MigrationConflictError(`migration ${name} was edited after it was applied; add a new migration instead`)
    }
    files.delete(name)
  }
  return [...files.values()]
}

async function apply(client: PoolClient, { name, checksum, sql }: Migration): Promise<void> {
  const startedAt = new Date()
  await client.query('BEGIN')
  try {
    await client.query(sql)
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
       VALUES ($1, $2, $3, $4, $5, 1)`,
      [randomUUID(), checksum, new Date(), name, startedAt],
    )
    await client.query('COMMIT')
  } catch (error) {
    // If the connection itself is gone, so is its transaction; the first error is the one to report.
    await client.query('ROLLBACK').catch(() => {})
    throw new Error(`migration ${name} failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
}

interface Migration {
  name: string
  sql: string
  /** SHA-256 of the file, in hex: what Prisma records. */
  checksum: string
}

/** Reads `<dir>/<name>/migration.sql`, in name order: the names start with their time. */
export async function readMigrations(dir: URL | string): Promise<Migration[]> {
  const root = typeof dir === 'string' ? dir : fileURLToPath(dir)
  const entries = await readdir(root, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(names.sort().map((name) => readMigration(root, name)))
}

async function readMigration(root: string, name: string): Promise<Migration> {
  const file = await readFile(join(root, name, 'migration.sql'))
  return { name, sql: file.toString('utf8'), checksum: createHash('sha256').update(file).digest('hex') }
}
