import { join } from 'node:path'
import pg from 'pg'
import { startPglite } from '../../src/adapters/catalog/connection/pglite/start.ts'
import { tempDir } from './temp-dir.ts'

export interface TestDatabase {
  pool: pg.Pool
  dataDir: string
  close(): Promise<void>
}

/** An embedded PostgreSQL in a folder of its own, with a pool on it. */
export async function startTestDatabase(): Promise<TestDatabase> {
  const folder = tempDir('embedded-postgres')
  const dataDir = join(folder.path, 'data')
  const embedded = await startPglite({ dataDir })
  const pool = new pg.Pool(embedded.poolConfig)
  // Without a listener an idle connection that breaks ends the process; some tests break it on purpose.
  pool.on('error', () => {})
  const close = async () => {
    await pool.end()
    await embedded.close().finally(folder.remove)
  }
  return { pool, dataDir, close }
}
