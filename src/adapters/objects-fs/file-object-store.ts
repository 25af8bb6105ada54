import { randomBytes } from 'node:crypto'
import { access, constants, mkdir, open, readFile, rename, rm, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { storageFull, storageUnavailable } from '../../errors.ts'
import { objectKey } from '../../model/object-key.ts'
import type { ObjectStore } from '../../ports/stores/object-store.ts'

/** One file per key below `dir`, readable by this user only. Throws a RangeError for a key that the port forbids. */
export function createFileObjectStore(dir: string): ObjectStore {
  const root = resolve(dir)
  // The suffix separates key `a` (a file) from the folder of key `a/b`.
  const pathOf = (key: string) => `${join(root, ...objectKey(key).split('/'))}.object`

  return {
    engine: 'filesystem',

    async put(key, bytes) {
      const path = pathOf(key)
      const temporary = `${path}.${randomBytes(8).toString('hex')}`
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await writeDurably(temporary, bytes)
        await rename(temporary, path)
      } catch (error) {
        await rm(temporary, { force: true })
        throw storageFailure(error)
      }
      await syncFolders(dirname(path), root)
    },

    async get(key) {
      return await readFile(pathOf(key)).catch(nullIfMissing)
    },

    async delete(key) {
      const path = pathOf(key)
      if ((await unlink(path).catch(nullIfMissing)) !== null) await syncFolder(dirname(path))
    },

    async ping() {
      await mkdir(root, { recursive: true, mode: 0o700 })
      await access(root, constants.R_OK | constants.W_OK)
    },
  }
}

const full = new Set(['ENOSPC', 'EDQUOT'])
const unavailable = new Set(['EROFS', 'EIO'])

/** The error that callers get for a full or failing disk; any other error unchanged. */
function storageFailure(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (full.has(code)) return storageFull()
  return unavailable.has(code) ? storageUnavailable() : error
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** From the file's folder up to the root's parent: any of them may be new, even made by another running put. */
async function syncFolders(folder: string, root: string): Promise<void> {
  await syncFolder(folder)
  if (folder.length >= root.length && folder !== dirname(folder)) await syncFolders(dirname(folder), root)
}

/** A name in a folder is durable once the folder is synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function nullIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
