import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { createStorage, type TestStorage } from './database.ts'

/** A new database on TEST_DATABASE_URL that belongs to its own role, and a second role that owns nothing. */
export interface RolesDatabase {
  storage: TestStorage
  owner: DatabaseRole
  service: DatabaseRole
  /** Runs SQL as the tests' superuser. */
  admin: DatabaseRole
  /** Drops the database and the roles. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface DatabaseRole {
  url: string
  id: string
  /** The id as an identifier in SQL. */
  name: string
  run<Row extends object>(sql: string): Promise<Row[]>
}

export async function createRolesDatabase(): Promise<RolesDatabase> {
  const storage = await createStorage({ empty: true })
  if (storage.catalog.kind !== 'postgresql') throw new Error('roles need TEST_DATABASE_URL')
  const admin = roleOf('', storage.catalog.url)
  const suffix = randomBytes(6).toString('hex')
  const password = randomBytes(12).toString('hex')
  const roles = ['owner', 'service'].map((name) => {
    // Names that need quotes.
    const role = `Test "${name}"-${suffix}`
    const url = new URL(admin.url)
    url.username = encodeURIComponent(role)
    url.password = password
    return roleOf(role, url.href)
  })
  const [owner, service] = roles
  if (!owner || !service) throw new Error('two roles were wanted')
  for (const { name } of roles) await admin.run(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`)
  await admin.run(`ALTER DATABASE ${new URL(admin.url).pathname.slice(1)} OWNER TO ${owner.name}`)
  return {
    storage,
    owner,
    service,
    admin,
    [Symbol.asyncDispose]: async () => {
      await storage.remove()
      const server = roleOf('', process.env.TEST_DATABASE_URL ?? '')
      for (const { name } of roles) await server.run(`DROP ROLE ${name}`)
    },
  }
}

const roleOf = (id: string, url: string): DatabaseRole => ({
  id,
  name: pg.escapeIdentifier(id),
  url,
  run: async (sql) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return await client
      .query(sql)
      .then(({ rows }) => rows)
      .finally(() => client.end())
  },
})
