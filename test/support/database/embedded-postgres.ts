import { cpSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { startPglite } from '../../../src/adapters/catalog/connection/pglite/start.ts'
import { tempDir } from '../temp-dir.ts'

export interface TestDatabase {
  pool: pg.Pool
  dataDir: string
  close(): Promise<void>
}

/** An embedded PostgreSQL in its own folder, with the tables of the catalog and a pool on it. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const folder = tempDir('embedded-postgres')
  const dataDir = join(folder.path, 'data')
  const template = process.env.TEST_TEMPLATE
  if (template) cpSync(template, dataDir, { recursive: true })
  const embedded = await startPglite({ dataDir })
  const pool = new pg.Pool(embedded.poolConfig)
  // Without a listener, a broken idle connection ends the process; some tests break one on purpose.
  pool.on('error', () => {})
  const close = async () => {
    await pool.end()
    await embedded.close().finally(folder.remove)
  }
  return { pool, dataDir, close }
}
