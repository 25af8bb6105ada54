import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Migration {
  name: string
  sql: string
  /** SHA-256 of the file, in hex: what Prisma records. */
  checksum: string
}

/** Reads `<dir>/<name>/migration.sql`, in name order: the names start with their time. */
export async function readMigrations(dir: URL | string): Promise<Migration[]> {
  const root = typeof dir === 'string' ? dir : fileURLToPath(dir)
  const entries = await readdir(root, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(names.sort().map((name) => readMigration(root, name)))
}

async function readMigration(root: string, name: string): Promise<Migration> {
  const file = await readFile(join(root, name, 'migration.sql'))
  return { name, sql: file.toString('utf8'), checksum: createHash('sha256').update(file).digest('hex') }
}
