import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A name in a folder is durable once the folder is synced. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

export const makeFolder = (path: string) => mkdir(path, { recursive: true, mode: 0o700 })

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

export function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
