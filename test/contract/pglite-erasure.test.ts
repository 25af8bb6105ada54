import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pageBytes, pageChecksum, storedChecksum } from '../../src/adapters/catalog/connection/pglite/durable-fs.ts'
import { databaseOnDisk } from '../support/database/database-on-disk.ts'

const disk = databaseOnDisk('pglite-erasure')

/** The files below `catalog/` that contain these bytes. */
function filesWith(needle: string): string[] {
  const entries = readdirSync(join(disk.path, 'catalog'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.filter((file) => readFileSync(file).includes(needle))
}

async function fileOf(table: string): Promise<string> {
  const { rows } = await disk.open.database.query<{ path: string }>('SELECT pg_relation_filepath($1) AS path', [table])
  return join(disk.path, 'catalog', rows[0]?.path ?? '')
}

/** A short text in its row, and a text that is long enough for out-of-line storage (TOAST). */
const texts = (mark: string) =>
  `'${mark} short', '${mark} ' || (SELECT string_agg(md5(i::text || '${mark}'), '') FROM generate_series(1, 300) i)`

it('clears what VACUUM gives free, in tables, beside them and in the log', async () => {
  const { database } = disk.open
  await database.exec(`CREATE TABLE page (id int PRIMARY KEY, short text, long text)`)
  for (let id = 0; id < 40; id++) {
    await database.exec(`INSERT INTO page SELECT ${id}, ${texts(id % 4 === 3 ? 'zqsecret' : 'plain')}`)
  }
  await database.exec('CHECKPOINT')
  expect(filesWith('zqsecret').length).toBeGreaterThan(1)
  await database.exec('UPDATE page SET short = NULL, long = NULL WHERE id % 4 = 3')
  await database.exec('VACUUM page')
  await database.exec('SELECT pg_switch_wal()')
  await database.exec('CHECKPOINT')
  expect(filesWith('zqsecret')).toEqual([])
  expect(filesWith('plain')).not.toEqual([])
})

it('keeps the pages as PostgreSQL wants them', async () => {
  const bytes = readFileSync(await fileOf('page'))
  const pages = Array.from({ length: bytes.length / pageBytes }, (_, block) => {
    const page = new DataView(bytes.buffer, bytes.byteOffset + block * pageBytes, pageBytes)
    return { stored: storedChecksum(page), computed: pageChecksum(page, block) }
  })
  expect(pages.length).toBeGreaterThan(0)
  for (const { stored, computed } of pages) expect(computed).toBe(stored)

  await disk.reopen()
  // Reads every page from the disk, and so verifies each checksum.
  const { rows } = await disk.open.database.query(
    'SELECT count(*)::int AS kept, sum(length(short || long))::int AS letters FROM page WHERE long IS NOT NULL',
  )
  expect(rows).toEqual([{ kept: 30, letters: 30 * (11 + 6 + 300 * 32) }])
})
