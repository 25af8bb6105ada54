import { randomBytes } from 'node:crypto'
import { lstat, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { nullIfMissing, syncFolder } from '../resilience/folders.ts'

/** Writes a file (0600) that is there as a whole and on the disk, or not at all. */
export async function writeWhole(path: string, content: Uint8Array | string): Promise<void> {
  const partial = join(dirname(path), `.${randomBytes(8).toString('hex')}.partial`)
  try {
    const file = await open(partial, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, path)
  } finally {
    await rm(partial, { force: true })
  }
  await syncFolder(dirname(path))
}

/** Null when nothing is there. */
export const statOf = (path: string) => lstat(path).catch(nullIfMissing)

export const namesIn = async (folder: string): Promise<string[]> => (await readdir(folder).catch(nullIfMissing)) ?? []

/** What a snapshot holds of the data directory. The rest is made again, or belongs to the running process. */
export const parts = ['catalog', 'objects', 'anchors', 'secrets'] as const

/** Files of the database that a start makes again, or that another part of the snapshot brings. */
const left =
  /^catalog\/(?:postmaster\.(?:pid|opts)|pg_stat_tmp\/.|pg_wal\/[0-9A-F]{24}|(?:.*\/)?(?:pg_internal\.init.*|pgsql_tmp.*))/

/** Objects that are not whole yet. */
const partial = /(?:^|\/)\.partial(?:\/|$)/

/** Paths below a folder of the data directory, sorted, with `/`; folders end in it. Follows no links. */
export async function listFiles(dataDir: string, part: string): Promise<string[]> {
  const entries = await readdir(join(dataDir, part), { withFileTypes: true }).catch(nullIfMissing)
  if (entries === null) return []
  const found: string[] = [`${part}/`]
  for (const entry of entries) {
    const path = `${part}/${entry.name}`
    if (left.test(path) || partial.test(path)) continue
    if (entry.isDirectory()) found.push(...(await listFiles(dataDir, path)))
    else if (entry.isFile()) found.push(path)
  }
  return found.sort()
}

/** The names of the files of the database's log, in order. */
export async function logFiles(dataDir: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'catalog', 'pg_wal'))
  return names.filter((name) => /^[0-9A-F]{24}$/.test(name)).sort()
}

/**
 * The lines of an anchor about rows that the snapshot has. A later checkpoint may be there already. `size` is the
 * number of rows of the log of `namespaceId`.
 */
export async function anchorUpTo(path: string, size: number): Promise<Buffer> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  const kept = lines.filter((line) => sizeIn(line) <= size)
  return Buffer.from(kept.length === 0 ? '' : `${kept.join('\n')}\n`)
}

function sizeIn(line: string): number {
  try {
    const { size } = JSON.parse(line)
    return typeof size === 'number' ? size : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
