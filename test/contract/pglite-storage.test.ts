import { expect, it } from 'vitest'
import { maintain } from '../../src/adapters/catalog/connection/pglite/maintenance.ts'
import { databaseOnDisk } from '../support/database/database-on-disk.ts'

const disk = databaseOnDisk('pglite-storage')

it('starts with fsync on, by a method that does something', async () => {
  const { rows } = await disk.open.database.query(
    `SELECT current_setting('fsync') AS fsync, current_setting('wal_sync_method') AS method,
            current_setting('synchronous_commit') AS commit, current_setting('full_page_writes') AS pages`,
  )
  expect(rows).toEqual([{ fsync: 'on', method: 'fsync', commit: 'on', pages: 'on' }])
})

it('calls fsync for every commit', async () => {
  await disk.open.database.exec('CREATE TABLE t (n int)')
  const perCommit: number[] = []
  for (let n = 0; n < 50; n++) {
    const before = disk.open.files.syncs
    await disk.open.database.query('INSERT INTO t VALUES ($1)', [n])
    perCommit.push(disk.open.files.syncs - before)
  }
  expect(Math.min(...perCommit)).toBeGreaterThanOrEqual(1)
})

it('flushes the files of a checkpoint', async () => {
  const before = disk.open.files.syncs
  await disk.open.database.exec('CREATE TABLE a (n int); INSERT INTO a VALUES (1); CHECKPOINT')
  expect(disk.open.files.syncs - before).toBeGreaterThan(3)
})

it('reads its own files when it needs them: time zones, dictionaries, languages', async () => {
  const { rows } = await disk.open.database.query(
    `SELECT ('2026-07-01 12:00Z'::timestamptz AT TIME ZONE 'Asia/Kathmandu')::text AS here,
            to_tsvector('german', 'die Häuser')::text AS stems`,
  )
  expect(rows).toEqual([{ here: '2026-07-01 17:45:00', stems: "'haus':2" }])
  await disk.open.database.exec('DO $$ BEGIN PERFORM 1; END $$ LANGUAGE plpgsql')
})

it('is maintained: checkpoints when the log has grown, and vacuums and analyses what has changed', async () => {
  await disk.open.database.exec(`
    CREATE TABLE grown AS SELECT n, repeat('x', 500) AS data FROM generate_series(1, 100000) n;
    UPDATE grown SET n = n + 1`)
  const redo = async () =>
    (await disk.open.database.query<{ lsn: string }>('SELECT redo_lsn::text AS lsn FROM pg_control_checkpoint()'))
      .rows[0]?.lsn
  const before = await redo()
  // Statistics are flushed at most once a second, which is too late on a fast machine.
  await disk.open.database.query('SELECT pg_stat_force_next_flush()')
  await maintain(disk.open.database)
  expect(await redo()).not.toBe(before)
  const state = async () => {
    const query = `SELECT reltuples::int, vacuum_count::int, analyze_count::int
      FROM pg_class JOIN pg_stat_user_tables ON relid = pg_class.oid WHERE relid = 'grown'::regclass`
    return (await disk.open.database.query<{ reltuples: number }>(query)).rows[0]
  }
  const after = await state()
  expect(after).toMatchObject({ vacuum_count: 1, analyze_count: 1 })
  // It is estimated from a sample, so that a twentieth of it is 4,500 to 5,500 rows.
  expect(after?.reltuples).toBeGreaterThan(90_000)
  expect(after?.reltuples).toBeLessThan(110_000)
  // Space of the dead is free again before a file needs much more; plans stay good for longer.
  for (const [deleted, vacuums] of [
    [4_000, 1],
    [7_000, 2],
  ]) {
    await disk.open.database.exec(`DELETE FROM grown WHERE n BETWEEN 2 AND ${deleted} + 1`)
    await maintain(disk.open.database)
    expect(await state()).toMatchObject({ vacuum_count: vacuums, analyze_count: 1 })
  }
})
