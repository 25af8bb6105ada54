import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startPglite } from '../../../src/adapters/catalog/connection/pglite/start.ts'
import { atNight, sampled } from '../../support/amounts.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { startChild } from '../../support/process/child.ts'
import { tempDir } from '../../support/temp-dir.ts'

/** A database that is there: making one takes four seconds of CPU. */
let storage: TestStorage
/** Without a database. */
let empty: ReturnType<typeof tempDir>
beforeEach(async () => {
  storage = await createStorage({ embedded: true })
  empty = tempDir('durability')
})
afterEach(async () => {
  await storage.remove()
  empty.remove()
})

async function query<Row extends pg.QueryResultRow>(sql: string, dataDir = storage.dataDir): Promise<Row[]> {
  const embedded = await startPglite({ dataDir })
  const pool = new pg.Pool(embedded.poolConfig)
  try {
    return (await pool.query<Row>(sql)).rows
  } finally {
    await pool.end()
    await embedded.close()
  }
}

it('keeps every acknowledged commit through kill -9, more than once', async () => {
  let acknowledged = -1
  for (const enough of atNight ? [200, 500] : [100, 200]) {
    await using child = startChild('database/insert-forever.ts', storage.dataDir)
    for await (const line of child.lines) {
      acknowledged = Number(line)
      if (acknowledged === enough) child.process.kill('SIGKILL')
    }
    expect(acknowledged).toBeGreaterThanOrEqual(enough)
  }
  const [kept] = await query<{ count: number; max: number }>('SELECT count(*)::int, max(n) FROM numbers')
  // One more insert may have committed before it was reported.
  expect(kept?.max).toBeGreaterThanOrEqual(acknowledged)
  expect(kept?.max).toBeLessThanOrEqual(acknowledged + 1)
  expect(kept?.count).toBe((kept?.max ?? 0) + 1)
})

it('makes a database again whose creation was cut short', async () => {
  await query('CREATE TABLE half_made (n int)')
  const marker = join(storage.dataDir, 'catalog.creating')
  writeFileSync(marker, '')
  expect(await query(`SELECT to_regclass('half_made') AS found`)).toEqual([{ found: null }])
  expect(existsSync(marker)).toBe(false)
})

it('makes a database again whose creation was killed with the service', async () => {
  const marker = join(empty.path, 'catalog.creating')
  await using child = startChild('database/insert-forever.ts', empty.path)
  await expect.poll(() => existsSync(marker), { interval: 5 }).toBe(true)
  child.process.kill('SIGKILL')
  expect(await query('SELECT 1 AS one', empty.path)).toEqual([{ one: 1 }])
  expect(existsSync(marker)).toBe(false)
})

it.each(sampled(['', 'x', '4294967295\n', '1\n'], 2))(
  'starts beside a lock file of the database that says %j',
  async (written) => {
    await query('CREATE TABLE kept (n int)')
    writeFileSync(join(storage.dataDir, 'catalog', 'postmaster.pid'), written)
    expect(await query(`SELECT to_regclass('kept')::text AS found`)).toEqual([{ found: 'kept' }])
  },
)
