import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, constants, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { storageFull, storageUnavailable } from '../../errors.ts'
import { type ByteRange, exactly, objectKey } from '../../model/object-key.ts'
import type { ObjectStore } from '../../ports/stores/object-store.ts'
import { nullIfMissing, syncFolder } from '../resilience/folders.ts'

/** One file per key below `dir`, readable by this user only. Throws a RangeError for a key that the port forbids. */
export function createFileObjectStore(dir: string): ObjectStore {
  const root = resolve(dir)
  // The suffix separates key `a` (a file) from the folder of key `a/b`.
  const pathOf = (key: string) => `${join(root, ...objectKey(key).split('/'))}.object`

  const write = async (key: string, content: Uint8Array | AsyncIterable<Uint8Array>) => {
    const path = pathOf(key)
    const partial = join(partialsOf(root), randomBytes(16).toString('hex'))
    try {
      for (const folder of [dirname(partial), dirname(path)]) await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeDurably(partial, content)
      await rename(partial, path)
    } catch (error) {
      await rm(partial, { force: true })
      throw storageFailure(error)
    }
    await syncFolders(dirname(path), root)
  }

  return {
    engine: 'filesystem',
    put: write,
    putStream: (key, chunks, bytes) => write(key, exactly(chunks, bytes)),

    async get(key) {
      return await readFile(pathOf(key)).catch(nullIfMissing)
    },

    async open(key, range) {
      const path = pathOf(key)
      const found = await stat(path).catch(nullIfMissing)
      return found && { bytes: found.size, stream: read(path, range ?? { start: 0, end: found.size - 1 }) }
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

/** Where bytes are until they are whole. No key leads there. */
const partialsOf = (root: string) => join(root, '.partial')

/** Removes what writes left here that a crash broke off. Those that changed in the last `quietMs` may still be running. */
export async function removePartials(dir: string, quietMs: number): Promise<void> {
  const folder = partialsOf(resolve(dir))
  for (const name of (await readdir(folder).catch(nullIfMissing)) ?? []) {
    const path = join(folder, name)
    const found = await stat(path).catch(nullIfMissing)
    // Its time has fractions of a millisecond, and may seem later than now.
    if (found && Math.floor(found.mtimeMs) <= Date.now() - quietMs) await rm(path, { force: true })
  }
}

async function* read(path: string, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  if (end >= start) yield* exactly(createReadStream(path, { start, end }), end - start + 1)
}

const full = new Set(['ENOSPC', 'EDQUOT'])
const unavailable = new Set(['EROFS', 'EIO', 'EMFILE', 'ENFILE'])

/** The error that callers get for a full or failing disk; any other error unchanged. */
function storageFailure(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (full.has(code)) return storageFull()
  return unavailable.has(code) ? storageUnavailable() : error
}

async function writeDurably(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
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
