import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { migrate } from '../src/adapters/catalog/connection/migrations/migrate.ts'
import { startPglite } from '../src/adapters/catalog/connection/pglite/start.ts'
import { schemaAdapter } from './schema-adapter.ts'

const prisma = new URL('../prisma/', import.meta.url)

export interface SchemaDiffOptions {
  schema?: string
  migrations?: string
  /** With an embedded catalog, which is migrated. Default: a new one. */
  dataDir?: string
}

/**
 * The SQL from the migrations to the schema; empty if they agree. It works offline, on its own database. `prisma
 * migrate diff` would need a server and download an engine; this is the same engine compiled to WebAssembly.
 */
export async function schemaDiff(options: SchemaDiffOptions = {}): Promise<string> {
  const schema = options.schema ?? fileURLToPath(new URL('schema.prisma', prisma))
  const migrations = options.migrations ?? fileURLToPath(new URL('migrations', prisma))
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'schema-diff-')))
  const embedded = await startPglite({ dataDir })
  const pool = new pg.Pool(embedded.poolConfig)
  try {
    await migrate(pool, migrations)
    return await diff(pool, { path: schema, content: await readFile(schema, 'utf8') })
  } finally {
    await pool.end()
    await embedded.close()
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true })
  }
}

async function diff(pool: pg.Pool, file: { path: string; content: string }): Promise<string> {
  // Imported only when needed, because loading it prints a warning about WebAssembly modules.
  const { SchemaEngine } = await import('@prisma/schema-engine-wasm')
  const engine = await SchemaEngine.new({ datamodels: [[file.path, file.content]] }, () => {}, schemaAdapter(pool))
  try {
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files: [file], configDir: '' },
      to: { tag: 'schemaDatamodel', files: [file] },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    })
    const sql = (stdout ?? '').trim()
    return sql === '-- This is an empty migration.' ? '' : sql
  } finally {
    engine.free()
  }
}

if (import.meta.main) console.log(await schemaDiff())
