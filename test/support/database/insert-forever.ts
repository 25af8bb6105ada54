import { writeSync } from 'node:fs'
import pg from 'pg'
import { startPglite } from '../../../src/adapters/catalog/connection/pglite/start.ts'

// Inserts numbers one commit at a time and prints each once it is acknowledged, until it is killed.
const { poolConfig } = await startPglite({ dataDir: process.argv[2] ?? '' })
const pool = new pg.Pool(poolConfig)
await pool.query('CREATE TABLE IF NOT EXISTS numbers (n int PRIMARY KEY)')
const { rows } = await pool.query<{ next: number }>('SELECT coalesce(max(n) + 1, 0) AS next FROM numbers')
for (let n = rows[0]?.next ?? 0; ; n++) {
  await pool.query('INSERT INTO numbers VALUES ($1)', [n])
  // Synchronous: an acknowledged insert must be printed before the next one.
  writeSync(1, `${n}\n`)
}
