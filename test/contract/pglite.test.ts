import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPglite } from '../../src/adapters/catalog/connection/pglite/start.ts'
import { startTestDatabase, type TestDatabase } from '../support/database/embedded-postgres.ts'

let database: TestDatabase
let pool: pg.Pool
beforeAll(async () => {
  database = await startTestDatabase()
  pool = database.pool
  await pool.query('CREATE TABLE item (id int PRIMARY KEY, data bytea)')
})
afterAll(() => database.close())

const count = async () => (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM item')).rows[0]?.n

describe('the protocol', () => {
  it('carries 15 MB there and back', async () => {
    const data = Buffer.alloc(15_000_000, 'retrieval')
    const { rows } = await pool.query<{ data: Buffer; length: number }>(
      'SELECT $1::bytea AS data, length($1) AS length',
      [data],
    )
    expect(rows[0]?.length).toBe(data.length)
    expect(rows[0]?.data.equals(data)).toBe(true)
  })

  it('carries many rows, in order', async () => {
    const { rows } = await pool.query<{ n: number }>(`SELECT n, repeat('x', 50) FROM generate_series(1, 100000) n`)
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 100_000 }, (_, index) => index + 1))
  })

  it('carries arrays, unnest and 64-bit numbers', async () => {
    const { rows } = await pool.query(
      'SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[]) AS t (name, n, data)',
      [
        ['a"b', 'c,{d}'],
        [1n, 9_007_199_254_740_993n],
        [Buffer.from([0, 255]), Buffer.of()],
      ],
    )
    expect(rows).toEqual([
      { name: 'a"b', n: '1', data: Buffer.from([0, 255]) },
      { name: 'c,{d}', n: '9007199254740993', data: Buffer.of() },
    ])
  })

  it('answers 200 queries at once, each with its own result', async () => {
    const results = await Promise.all(Array.from({ length: 200 }, (_, n) => pool.query('SELECT $1::int AS n', [n])))
    expect(results.map(({ rows }) => rows[0])).toEqual(Array.from({ length: 200 }, (_, n) => ({ n })))
  })

  it('runs several statements of one simple query', async () => {
    const results = await pool.query('SELECT 1 AS a; SELECT 2 AS b')
    expect(results).toMatchObject([{ rows: [{ a: 1 }] }, { rows: [{ b: 2 }] }])
  })
})

describe('errors', () => {
  it('reports one with its code, and the next query works', async () => {
    await expect(pool.query('SELECT $1::int', ['a'])).rejects.toMatchObject({ code: '22P02' })
    await expect(pool.query('SELEC')).rejects.toMatchObject({ code: '42601' })
    expect((await pool.query('SELECT 1 AS ok')).rows).toEqual([{ ok: 1 }])
  })

  it('keeps a failed transaction failed until it is rolled back', async () => {
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query('INSERT INTO item VALUES (1)')
    await expect(client.query('INSERT INTO item VALUES (1)')).rejects.toMatchObject({ code: '23505' })
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' })
    await client.query('ROLLBACK')
    client.release()
    expect(await count()).toBe(0)
  })

  it('survives nesting that is too deep', async () => {
    await expect(pool.query(`SELECT (repeat('[', 50000) || repeat(']', 50000))::jsonb`)).rejects.toMatchObject({
      code: '54001',
    })
    expect((await pool.query('SELECT 1 AS ok')).rows).toEqual([{ ok: 1 }])
  })
})

describe('a client that goes away', () => {
  it('in a transaction leaves nothing behind', async () => {
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query('INSERT INTO item VALUES (2)')
    await client.query(`SET search_path = nowhere; SELECT pg_advisory_lock(1); PREPARE leftover AS SELECT 1`)
    client.release(true)
    expect(await count()).toBe(0)
    const { rows } = await pool.query(`
      SELECT current_setting('search_path') AS path, (SELECT count(*)::int FROM pg_prepared_statements) AS prepared,
             (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks`)
    expect(rows).toEqual([{ path: 'public', prepared: 0, locks: 0 }])
  })

  it('in the middle of a statement leaves nothing behind', async () => {
    const client = await pool.connect()
    await client.query('BEGIN')
    const running = client.query('INSERT INTO item SELECT n FROM generate_series(1, 100000) n')
    client.release(true)
    await expect(running).rejects.toThrow('Connection terminated')
    expect(await count()).toBe(0)
  })

  it('after an error leaves nothing behind', async () => {
    const client = await pool.connect()
    await client.query('BEGIN')
    await expect(client.query('SELECT $1::int', ['a'])).rejects.toMatchObject({ code: '22P02' })
    client.release(true)
    await pool.query('INSERT INTO item VALUES (3)')
    await pool.query('DELETE FROM item')
  })
})

describe('its life', () => {
  it('refuses a second start on the same directory', async () => {
    await expect(startPglite({ dataDir: database.dataDir })).rejects.toThrow('already in use by this process')
  })

  it('fails clearly, for good, when the backend panics; and frees the directory', async () => {
    const broken = await startTestDatabase()
    await broken.pool.query('CREATE TABLE t (n int)')
    rmSync(join(broken.dataDir, 'catalog', 'pg_wal'), { recursive: true })
    await broken.pool.query('SELECT pg_switch_wal()')
    await expect(broken.pool.query('INSERT INTO t VALUES (1)')).rejects.toThrow(/embedded database failed: .*PANIC/)
    await expect(broken.pool.query('SELECT 1')).rejects.toThrow(/embedded database failed: .*PANIC/)
    await expect(broken.close()).rejects.toThrow(/PANIC/)
  })
})
