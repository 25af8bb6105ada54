import { cpSync, existsSync, renameSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type EmbeddedPostgres, startPglite } from '../../../src/adapters/catalog/connection/pglite/start.ts'
import { createEmbeddedIndex, type EmbeddedIndex } from '../../../src/adapters/index-embedded/embedded-index.ts'
import { readConfig } from '../../../src/config.ts'
import type { IndexFeed } from '../../../src/ports/indexes/index-filter.ts'

/** An embedded catalog and index that a boot takes over from an earlier one, as empty as new ones. */
export interface ReusedCatalog {
  dataDir: string
  index: Omit<EmbeddedIndex, 'close'>
  /** For `createRuntime`. To close it is to give it back, unless `keep` was called before. */
  embedded: EmbeddedPostgres
  /** From now on it is closed like any other, with its rows. Snapshots of the index come into this data directory. */
  keep(dataDir: string): void
  /** Removes its files, if it was kept. */
  remove(): Promise<void>
}

interface Open {
  dataDir: string
  embedded: EmbeddedPostgres
  index: EmbeddedIndex
  /** Of its tables, as migrations made them. */
  schema: string
}

/** The one that waits for the next boot of this process: its files run one after another, and few boot twice at a time. */
let idle: Open | null = null

/** To start a catalog, the thread of an index, and to close them is most of what a boot takes: a quarter of a second of a core each. */
export async function reuseCatalog(template: string): Promise<ReusedCatalog> {
  const taken = idle
  idle = null
  const open = taken ?? (await start(template))
  const indexed = new Set<string>()
  let keptIn: string | null = null
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= keptIn === null ? giveBack(open, indexed) : closeKept(open, keptIn)
    return closing
  }
  return {
    dataDir: open.dataDir,
    index: observed(open.index, indexed),
    embedded: { ...open.embedded, close },
    keep: (dataDir) => {
      keptIn = dataDir
    },
    remove: async () => {
      if (keptIn !== null) await remove(open)
    },
  }
}

/** The same index, for one boot: tests replace methods of it. Namespaces that get rows are added to `indexed`. */
function observed({ vectors, texts }: EmbeddedIndex, indexed: Set<string>): ReusedCatalog['index'] {
  const feed: IndexFeed = {
    ...vectors.feed,
    apply: (namespaceId, ...changes) => {
      indexed.add(namespaceId)
      return vectors.feed.apply(namespaceId, ...changes)
    },
  }
  return { vectors: { ...vectors, feed }, texts: { ...texts, feed } }
}

async function start(template: string): Promise<Open> {
  // Beside the template: what waits when the run ends is removed with it.
  const dataDir = await mkdtemp(join(template, '../reused-'))
  cpSync(template, dataDir, { recursive: true })
  const embedded = await startPglite({ dataDir })
  const { memoryMb, threads, snapshotAfterMs } = readConfig({}).index
  const index = createEmbeddedIndex({
    directory: join(dataDir, 'index'),
    threads,
    memoryBytes: memoryMb * 2 ** 20,
    quietMs: snapshotAfterMs,
    log: { info: () => {}, warn: () => {}, error: () => {} },
  })
  return { dataDir, embedded, index, schema: await withClient(embedded, schemaOf) }
}

async function giveBack(open: Open, indexed: ReadonlySet<string>): Promise<void> {
  // One that is broken is only closed.
  const isAsNew = await withClient(open.embedded, (client) => empty(client, open.schema)).catch(() => false)
  for (const namespaceId of indexed) await open.index.vectors.feed.reset(namespaceId)
  if (isAsNew && idle === null) {
    open.embedded.holdMaintenance(false)
    idle = open
  } else {
    await open.index.close()
    await open.embedded.close()
    await remove(open)
  }
}

async function closeKept({ dataDir, embedded, index }: Open, keptIn: string): Promise<void> {
  await index.close()
  const snapshots = join(dataDir, 'index')
  if (existsSync(snapshots)) renameSync(snapshots, join(keptIn, 'index'))
  await embedded.close()
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
