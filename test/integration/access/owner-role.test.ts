import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Log } from '../../../src/model/log.ts'
import { openBrowser } from '../../support/access/browser.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { auditSample, auditTables } from '../../support/database/audit-tables.ts'
import { createStorage } from '../../support/database/database.ts'
import { createRolesDatabase, type RolesDatabase } from '../../support/database/database-roles.ts'
import { environmentOf, failedStart } from '../../support/process/server-process.ts'

// Roles exist only on a server; the embedded database has a single user.
describe.skipIf(!process.env.TEST_DATABASE_URL)('with a role that owns the tables (needs TEST_DATABASE_URL)', () => {
  let db: RolesDatabase
  let warnings: string[]
  beforeAll(async () => {
    db = await createRolesDatabase()
    const app = await start()
    await app.close({ keep: true })
    expect(warnings).toEqual([])
  })
  afterAll(() => db[Symbol.asyncDispose]())

  async function start(url = db.service.url, ownerUrl: string | null = db.owner.url): Promise<TestApp> {
    warnings = []
    const log: Log = { info: () => {}, warn: (_, message) => warnings.push(message), error: () => {} }
    const config = { catalog: { kind: 'postgresql', url, ownerUrl: ownerUrl ?? undefined } } as const
    return boot({ storage: db.storage, config, bindings: { log } })
  }
  /** The warnings of a start. */
  async function warningsOf(...args: Parameters<typeof start>): Promise<string> {
    const app = await start(...args)
    await app.close({ keep: true })
    return warnings.join()
  }
  const privileges = async () => {
    const rows = await db.admin.run<{ name: string; held: string }>(
      `SELECT c.relname AS name, string_agg(a.privilege_type, ' ' ORDER BY a.privilege_type) AS held
       FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
       WHERE r.rolname = '${db.service.id}' GROUP BY c.relname`,
    )
    return new Map(rows.map(({ name, held }) => [name, held]))
  }

  it('serves: seeds, ingests, searches, changes, deletes, lists and verifies its log', async () => {
    const app = await start()
    try {
      const { body: seeded } = await app.call('POST', '/v1/admin/seed')
      const token = seeded.tokens.admin
      const send = async (method: string, path: string, body?: unknown) => {
        const reply = await app.call(method, path, { token, scope: 'lab', body })
        expect({ path, status: reply.status, body: reply.body }).toMatchObject({ path, status: 200 })
        return reply.body
      }
      await send('POST', '/v1/scopes', { scope: 'lab' })
      const { units } = await send('POST', '/v1/ingest', { units: [{ text: 'a secret recipe', external_id: 'r' }] })
      expect((await send('POST', '/v1/search', { q: 'secret recipe' })).hits).toHaveLength(1)
      await send('POST', '/v1/ingest', { units: [{ text: 'a better recipe', external_id: 'r' }] })
      await send('POST', '/v1/units:delete', { ids: [units[0].unit_id], hard: true })
      await send('DELETE', '/v1/scopes/lab')
      expect((await send('GET', '/v1/audit')).count).toBeGreaterThan(5)
      expect(await send('GET', '/v1/audit/verify')).toMatchObject({ intact: true })
      expect((await openBrowser(app).signUp('ada@example.com')).status).toBe(200)
    } finally {
      await app.close({ keep: true })
    }
  })

  it('gives its role no more than that', async () => {
    const held = await privileges()
    const tables = await db.admin.run<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    expect(tables.length).toBeGreaterThan(20)
    for (const { name } of tables) {
      const few: Record<string, string> = { _prisma_migrations: 'SELECT' }
      const wanted = auditTables.includes(name) ? 'INSERT SELECT' : (few[name] ?? 'DELETE INSERT SELECT UPDATE')
      expect(`${name}: ${held.get(name)}`).toBe(`${name}: ${wanted}`)
    }
    await expect(db.service.run('CREATE TABLE mine (n int)')).rejects.toThrow('permission denied')
    await expect(db.service.run('TRUNCATE unit CASCADE')).rejects.toThrow('permission denied')
    await expect(db.service.run('DELETE FROM _prisma_migrations')).rejects.toThrow('permission denied')
  })

  it.each(auditTables)('lets nobody change %s: its role may not, and triggers stop the owner', async (table) => {
    const [column] = await db.admin.run<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns WHERE table_name = '${table}' LIMIT 1`,
    )
    const changes = [
      `UPDATE ${table} SET ${column?.name} = ${column?.name}`,
      `DELETE FROM ${table}`,
      `TRUNCATE ${table}`,
    ]
    const evasions = [
      `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
      `ALTER TABLE ${table} DISABLE TRIGGER ${table}_write_once`,
      `DROP TRIGGER ${table}_write_once ON ${table}`,
      `DROP TABLE ${table} CASCADE`,
      'DROP FUNCTION refuse_audit_change() CASCADE',
      `CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
      'DROP SCHEMA public CASCADE',
      `SET session_replication_role = replica`,
      `SET ROLE ${db.owner.name}`,
      `SELECT 1 FROM ${table} FOR UPDATE`,
    ]
    for (const sql of [...changes, ...evasions]) {
      await expect(db.service.run(sql), sql).rejects.toThrow(/permission denied|must be owner/)
    }
    await db.owner.run(auditSample)
    const rows = await db.admin.run(`SELECT FROM ${table}`)
    expect(rows.length).toBeGreaterThan(0)
    for (const sql of changes) await expect(db.owner.run(sql), sql).rejects.toThrow('write-once')
    expect(await db.admin.run(`SELECT FROM ${table}`)).toHaveLength(rows.length)
  })
  it('covers tables of later migrations, and takes back what it did not give', async () => {
    await db.owner.run('CREATE TABLE later (n serial)')
    await db.owner.run(`GRANT ALL ON audit_row TO ${db.service.name}`)
    await db.owner.run(`GRANT UPDATE (hash) ON audit_row TO ${db.service.name}`)
    expect(await warningsOf()).toBe('')
    await db.service.run('INSERT INTO later DEFAULT VALUES')
    await expect(db.service.run("UPDATE audit_row SET hash = ''")).rejects.toThrow('permission denied')
    await db.owner.run('DROP TABLE later')
  })

  it('can be started by several processes at once', async () => {
    const apps = await Promise.all([start(), start(), start(db.service.url, null)])
    await Promise.all(apps.map((app) => app.close({ keep: true })))
  })

  it('warns of a role that could change the log nevertheless', async () => {
    const held = await privileges()
    const prefix = 'the role of DATABASE_URL can change audit rows: '
    expect(await warningsOf(db.admin.url)).toBe(`${prefix}it is a superuser`)
    expect(await warningsOf(db.owner.url)).toBe(`${prefix}it owns the tables or can become their owner`)
    const { owner, service, admin } = db
    const ways = [
      [`GRANT ${owner.name} TO ${service.name}`, `REVOKE ${owner.name} FROM ${service.name}`, 'become their owner'],
      ['GRANT UPDATE (hash) ON audit_row TO PUBLIC', 'REVOKE ALL ON audit_row FROM PUBLIC', 'through PUBLIC'],
      ['GRANT TRIGGER ON audit_node TO PUBLIC', 'REVOKE ALL ON audit_node FROM PUBLIC', 'through PUBLIC'],
      [`ALTER SCHEMA public OWNER TO ${service.name}`, 'ALTER SCHEMA public OWNER TO pg_database_owner', 'drop tables'],
    ] as const
    for (const [open, shut, warning] of ways) {
      await admin.run(open)
      expect(await warningsOf(), open).toMatch(new RegExp(`^${prefix}.*${warning}`))
      await admin.run(shut)
    }
    expect(await warningsOf()).toBe('')
    expect(await privileges()).toEqual(held)
  })

  it('starts without the owner while nothing is left to migrate, and else says what is missing', async () => {
    expect(await warningsOf(db.service.url, null)).toBe('')
    const [last] = await db.admin.run<{ name: string }>('SELECT max(migration_name) AS name FROM _prisma_migrations')
    const rename = (from: string, to: string) =>
      db.owner.run(`UPDATE _prisma_migrations SET rolled_back_at = ${to} WHERE migration_name = '${from}'`)
    await rename(last?.name ?? '', 'now()')
    await expect(start(db.service.url, null)).rejects.toThrow(
      `the database lacks ${last?.name}, and the role ${db.service.id} may not migrate it: set MIGRATION_DATABASE_URL`,
    )
    await rename(last?.name ?? '', 'NULL')
    expect(await warningsOf(db.service.url, null)).toBe('')
  })

  it('takes over a database that one role owned, as docs/scale-out.md says', async () => {
    await using other = await createRolesDatabase()
    const { owner, service, admin, storage } = other
    await admin.run(`ALTER DATABASE ${new URL(admin.url).pathname.slice(1)} OWNER TO ${service.name}`)
    const catalog = { kind: 'postgresql', url: service.url } as const
    await (await boot({ storage, config: { catalog } })).close({ keep: true })
    // A single role as before: it kept its rights, and the triggers work.
    await expect(service.run('TRUNCATE audit_row')).rejects.toThrow('write-once')
    await expect(boot({ storage, config: { catalog: { ...catalog, ownerUrl: owner.url } } })).rejects.toThrow(
      'permission denied',
    )
    await admin.run(`REASSIGN OWNED BY ${service.name} TO ${owner.name}`)
    await admin.run(`ALTER DATABASE ${new URL(admin.url).pathname.slice(1)} OWNER TO ${owner.name}`)
    await (await boot({ storage, config: { catalog: { ...catalog, ownerUrl: owner.url } } })).close({ keep: true })
    await expect(service.run('TRUNCATE audit_row')).rejects.toThrow('permission denied')
  })

  it('notices that the owner is in another database', async () => {
    const other = await createStorage({ empty: true })
    if (other.catalog.kind !== 'postgresql') throw new Error('the tests have no server')
    const url = new URL(db.service.url)
    url.pathname = new URL(other.catalog.url).pathname
    const { exit, stderr } = await failedStart({
      ...environmentOf({ ...db.storage, catalog: { kind: 'postgresql', url: url.href } }),
      MIGRATION_DATABASE_URL: db.owner.url,
    }).finally(other.remove)
    expect(exit).toEqual({ code: 1, signal: null })
    expect(stderr).toMatch(/^the database lacks .* and the role Test "service"-\w+ may not migrate it/m)
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(stderr).not.toContain(new URL(db.owner.url).password)
  })
})
