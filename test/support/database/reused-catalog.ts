import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type EmbeddedPostgres, startPglite } from '../../../src/adapters/catalog/connection/pglite/start.ts'

/** An embedded catalog that a boot takes over from an earlier one, as empty as a new one. */
export interface ReusedCatalog {
  dataDir: string
  /** For `createRuntime`. To close it is to give it back, unless `keep` was called before. */
  embedded: EmbeddedPostgres
  /** From now on it is closed like any other, with its rows. */
  keep(): void
  /** Removes its files, if it was kept. */
  remove(): Promise<void>
}

interface Open {
  dataDir: string
  embedded: EmbeddedPostgres
  /** Of its tables, as migrations made them. */
  schema: string
}

/** The one that waits for the next boot of this process: its files run one after another, and few boot twice at a time. */
let idle: Open | null = null

/** To start a catalog and to close it is most of what a boot takes: a quarter of a second of a core. */
export async function reuseCatalog(template: string): Promise<ReusedCatalog> {
  const taken = idle
  idle = null
  const open = taken ?? (await start(template))
  let isKept = false
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= isKept ? open.embedded.close() : giveBack(open)
    return closing
  }
  return {
    dataDir: open.dataDir,
    embedded: { ...open.embedded, close },
    keep: () => {
      isKept = true
    },
    remove: async () => {
      if (isKept) await remove(open)
    },
  }
}

async function start(template: string): Promise<Open> {
  // Beside the template: what waits when the run ends is removed with it.
  const dataDir = await mkdtemp(join(template, '../reused-'))
  cpSync(template, dataDir, { recursive: true })
  const embedded = await startPglite({ dataDir })
  return { dataDir, embedded, schema: await withClient(embedded, schemaOf) }
}

async function giveBack(open: Open): Promise<void> {
  // One that is broken is only closed.
  const isAsNew = await withClient(open.embedded, (client) => empty(client, open.schema)).catch(() => false)
  if (isAsNew && idle === null) {
    open.embedded.holdMaintenance(false)
    idle = open
  } else {
    await open.embedded.close()
    await remove(open)
  }
}

const remove = ({ dataDir }: Open) => rm(dataDir, { recursive: true, force: true })

async function withClient<T>(embedded: EmbeddedPostgres, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(embedded.poolConfig)
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Changes with each change of a table, an index, a trigger or a function. */
async function schemaOf(client: pg.Client): Promise<string> {
  const parts = ['pg_attribute', 'pg_constraint', 'pg_index', 'pg_proc', 'pg_trigger'].map(
    (table) => `(SELECT count(*) || '/' || max(xmin::text::bigint) FROM ${table})`,
  )
  const { rows } = await client.query<{ schema: string }>(`SELECT concat_ws(' ', ${parts}) AS schema`)
  return rows[0]?.schema ?? ''
}

/** More than this takes longer to remove than a new catalog to start. */
const maxBytes = 4 * 2 ** 20

const tables = `relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'`

/** Leaves no rows, pages and statistics; false where that would take long, or where tables were changed. */
async function empty(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ name: string; bytes: number }>(
    `SELECT oid::regclass::text AS name, pg_table_size(oid)::float8 AS bytes FROM pg_class
     WHERE ${tables} AND pg_relation_size(oid) > 0`,
  )
  if ((await schemaOf(client)) !== schema) return false
  if (rows.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) return false
  const names = rows.map(({ name }) => name)
  // Without triggers: audit rows cannot be removed otherwise. TRUNCATE takes ten times as long, as it makes new files.
  await client.query(`
    BEGIN; SET LOCAL session_replication_role = replica;
    ${names.map((name) => `DELETE FROM ${name};`).join(' ')}
    DELETE FROM pg_statistic;
    SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S';
    COMMIT;
    SELECT pg_stat_force_next_flush()`)
  if (names.length > 0) await client.query(`VACUUM ${names}`)
  // Of an index VACUUM leaves empty pages, which the planner counts.
  const grown = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'i' AND pg_relation_size(oid) > 2 * 8192`,
  )
  await client.query(grown.rows.map(({ name }) => `REINDEX INDEX ${name};`).join(' '))
  await client.query(`
    UPDATE pg_class SET relpages = 0, reltuples = -1, relallvisible = 0 WHERE ${tables} AND reltuples <> -1;
    SELECT pg_stat_reset()`)
  return true
}
