import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { MigrationConflictError, migrate } from '../../src/adapters/catalog/connection/migrations/migrate.ts'
import { startTestDatabase, type TestDatabase } from '../support/database/embedded-postgres.ts'
import { tempDir } from '../support/temp-dir.ts'

let database: TestDatabase
let folder: ReturnType<typeof tempDir>
beforeAll(async () => {
  database = await startTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  folder = tempDir('migrations')
  await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  writeFileSync(join(folder.path, 'migration_lock.toml'), 'provider = "postgresql"\n')
  write('2_second', 'ALTER TABLE t ADD m int; CREATE INDEX ON t (m);')
  write('1_first', 'CREATE TABLE t (n int);')
})
afterEach(() => folder.remove())

const run = () => migrate(database.pool, folder.path)

function write(name: string, sql: string): void {
  mkdirSync(join(folder.path, name), { recursive: true })
  writeFileSync(join(folder.path, name, 'migration.sql'), sql)
}

it('applies what is new, in name order, and then nothing', async () => {
  expect(await run()).toEqual(['1_first', '2_second'])
  expect(await run()).toEqual([])
  write('3_third', 'INSERT INTO t VALUES (1, 2);')
  expect(await run()).toEqual(['3_third'])
  expect((await database.pool.query('SELECT * FROM t')).rows).toEqual([{ n: 1, m: 2 }])
})

it('records a migration as Prisma does', async () => {
  await run()
  const { rows } = await database.pool.query('SELECT * FROM _prisma_migrations ORDER BY started_at')
  expect(rows[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    checksum: createHash('sha256').update('CREATE TABLE t (n int);').digest('hex'),
    migration_name: '1_first',
    started_at: expect.any(Date),
    finished_at: expect.any(Date),
    rolled_back_at: null,
    logs: null,
    applied_steps_count: 1,
  })
})

it('rolls a failing migration back whole, keeps those before it, and can be run again', async () => {
  write('2_second', 'CREATE TABLE u (n int); SELECT 1/0;')
  await expect(run()).rejects.toThrow('migration 2_second failed: division by zero')
  const { rows } = await database.pool.query(`SELECT to_regclass('t')::text AS t, to_regclass('u')::text AS u`)
  expect(rows).toEqual([{ t: 't', u: null }])
  write('2_second', 'CREATE TABLE u (n int);')
  expect(await run()).toEqual(['2_second'])
})

it('refuses an applied migration that was edited, and changes nothing', async () => {
  await run()
  write('1_first', 'CREATE TABLE t (n bigint);')
  write('3_third', 'CREATE TABLE v (n int);')
  await expect(run()).rejects.toThrow(MigrationConflictError)
  await expect(run()).rejects.toThrow('migration 1_first was edited after it was applied')
  expect((await database.pool.query(`SELECT to_regclass('v') AS v`)).rows).toEqual([{ v: null }])
})

it('refuses to go on after a migration that is recorded as failed, until it is resolved', async () => {
  await run()
  const mark = (column: string) =>
    database.pool.query(`UPDATE _prisma_migrations SET ${column} WHERE migration_name = '2_second'`)
  await mark('finished_at = NULL')
  await expect(run()).rejects.toThrow('migration 2_second is recorded as failed')
  await database.pool.query('ALTER TABLE t DROP m')
  await mark('rolled_back_at = now()')
  expect(await run()).toEqual(['2_second'])
})

it('continues where a newer version has migrated already', async () => {
  await run()
  rmSync(join(folder.path, '2_second'), { recursive: true })
  expect(await run()).toEqual([])
})

it('refuses a database whose history is another one', async () => {
  await run()
  rmSync(join(folder.path, '1_first'), { recursive: true })
  await expect(run()).rejects.toThrow('the database has migration 1_first, which this version does not know')
})

it('gives its connection and its lock back, also when it fails', async () => {
  write('2_second', 'SELECT 1/0;')
  await expect(run()).rejects.toThrow()
  const { rows } = await database.pool.query(`SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'`)
  expect(rows).toEqual([{ n: 0 }])
  expect(database.pool.idleCount).toBe(1)
})

it('forgets the names of sources that were purged before', async () => {
  const migrations = join(import.meta.dirname, '../../prisma/migrations')
  await migrate(database.pool, migrations)
  await database.pool.query(`
    INSERT INTO namespace (id, name, tier, created_at) VALUES ('n', 'n', 'pro', 0);
    INSERT INTO source (namespace_id, id, uri, mime, bytes, sha256, created_by, created_at, purged_at, name) VALUES
      ('n', 'gone', 'source://gone', 'text/plain', 1, '', 'p', 0, 1, 'secret plan.txt'),
      ('n', 'kept', 'source://kept', 'text/plain', 1, '', 'p', 0, NULL, 'plan.txt')`)
  const name = '20261203130000_purged_source_names'
  await database.pool.query(readFileSync(join(migrations, name, 'migration.sql'), 'utf8'))
  const { rows } = await database.pool.query('SELECT id, name FROM source ORDER BY id')
  expect(rows).toEqual([
    { id: 'gone', name: null },
    { id: 'kept', name: 'plan.txt' },
  ])
})
