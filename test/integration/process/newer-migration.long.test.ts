import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readMigrations } from '../../../src/adapters/catalog/connection/migrations/migrate.ts'
import { version } from '../../../src/version.ts'
import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'
import { withCatalogRows } from '../../support/database/catalog-rows.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { environmentOf, failedStart } from '../../support/process/server-process.ts'

let storage: TestStorage
beforeEach(async () => {
  storage = await createStorage()
})
afterEach(() => storage.remove())

/** Changes the tables as a newer version may do while this one still runs: it only adds. */
const migrateOn = () =>
  withCatalogRows(storage, async (sql) => {
    for (const table of ['unit', 'head', 'scope', 'principal', 'namespace', 'audit_row', 'unit_vector', 'token']) {
      await sql(`ALTER TABLE ${table} ADD COLUMN later text NOT NULL DEFAULT 'x', ADD COLUMN later_still integer`)
    }
    await sql('CREATE TABLE later (id text PRIMARY KEY)')
    await sql('CREATE INDEX later_unit ON unit (namespace_id, later)')
    await sql(`INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
               VALUES ('later', 'unknown here', now(), '29991231000000_later', now(), 1)`)
  })

const works = async ({ call }: TestApp, name: string) => {
  const options = { token: superAdminToken, scope: 'harbor/general' }
  const units = [{ external_id: name, text: `written ${name}` }]
  expect((await call('POST', '/v1/ingest', { ...options, body: { units } })).body.counts.created).toBe(1)
  expect(
    (await call('POST', '/v1/search', { ...options, body: { q: `written ${name}` } })).body.hits[0].external_id,
  ).toBe(name)
  expect((await call('POST', '/v1/scopes', { ...options, body: { scope: `of/${name}` } })).status).toBe(200)
  expect((await call('GET', '/v1/audit/verify', options)).body.intact).toBe(true)
}

test.runIf(process.env.TEST_DATABASE_URL)(
  'what a newer version adds to a shared database keeps this one neither from starting nor from running (needs TEST_DATABASE_URL)',
  async () => {
    const app = await boot({ storage })
    await app.call('POST', '/v1/admin/seed', { token: superAdminToken })
    await works(app, 'halibut')
    await migrateOn()
    await works(app, 'mackerel')
    await app.close({ keep: true })
    const next = await boot({ storage })
    await works(next, 'sturgeon')
    await next.close({ keep: true })
  },
)

test.skipIf(process.env.TEST_DATABASE_URL)(
  'embedded data of a newer version is refused with both versions (not on a server)',
  async () => {
    const own = (await readMigrations(fileURLToPath(new URL('../../../prisma/migrations', import.meta.url)))).at(
      -1,
    )?.name
    await migrateOn()
    for (let round = 0; round < 2; round += 1) {
      const { exit, stdout, stderr } = await failedStart(environmentOf(storage))
      expect([exit.code, stdout]).toEqual([1, ''])
      expect(stderr.trim().split('\n')).toHaveLength(1)
      for (const part of ['a newer version', '29991231000000_later', version, `${own}`, storage.dataDir]) {
        expect(stderr).toContain(part)
      }
    }
  },
)
