import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { BackupRefusedError } from '../../model/backup.ts'
import { version } from '../../version.ts'
import { makeFolder, syncFolder } from '../resilience/folders.ts'
import { namesIn, parts, statOf } from './files.ts'
import type { Piece, Snapshot } from './format.ts'
import type { Repository } from './repository.ts'

/**
 * Checks a snapshot as a whole: its version, its paths, its pieces, and the checksum of each object. Throws a
 * `BackupRefusedError` that names what is wrong.
 */
export async function checkSnapshot(repository: Repository, snapshot: Snapshot): Promise<void> {
  if (isNewer(snapshot.service_version, version)) {
    throw new BackupRefusedError(
      `snapshot ${snapshot.id} is of version ${snapshot.service_version}, and this is ${version}; use version ${snapshot.service_version} or a newer one`,
    )
  }
  const seen = new Set<string>()
  for (const { path, bytes, pieces } of snapshot.files) {
    if (!isInside(path) || seen.has(path)) {
      throw new BackupRefusedError(
        `snapshot ${snapshot.id} names a path out of the data directory: ${JSON.stringify(path)}`,
      )
    }
    seen.add(path)
    const outside = pieces.some(([number, offset, length]) => {
      const object = snapshot.objects[number]
      return number !== -1 && (object === undefined || offset + length > object.content)
    })
    const sum = pieces.reduce((total, [, , length]) => total + length, 0)
    if (outside || sum !== bytes || (path.endsWith('/') && bytes > 0)) {
      throw new BackupRefusedError(`snapshot ${snapshot.id} does not describe all of ${path}`)
    }
  }
  for (const object of snapshot.objects) await repository.get(object)
}

function isNewer(one: string, other: string): boolean {
  const numbers = (text: string) => text.split(/[.+-]/, 3).map(Number)
  const [a, b] = [numbers(one), numbers(other)]
  for (const i of [0, 1, 2]) {
    if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) > (b[i] ?? 0)
  }
  return false
}

const segment = /^(?!\.{1,2}$)[A-Za-z0-9._-]+$/
const folders: ReadonlySet<string> = new Set(parts)

function isInside(path: string): boolean {
  const segments = path.replace(/\/$/, '').split('/')
  return folders.has(segments[0] ?? '') && segments.every((name) => segment.test(name))
}

/**
 * Writes a checked snapshot to `dataDir`, which must be missing or empty. It appears there as a whole, or not at all.
 * Throws a `BackupRefusedError` for a folder with something in it.
 */
export async function restoreSnapshot(repository: Repository, snapshot: Snapshot, dataDir: string): Promise<void> {
  const target = resolve(dataDir)
  const found = await statOf(target)
  if (found && !found.isDirectory())
    throw new BackupRefusedError(`${target} is not a folder; name another with --data-dir`)
  if ((await namesIn(target)).length > 0) {
    throw new BackupRefusedError(`${target} is not empty; move it away, or name another folder with --data-dir`)
  }
  makeFolder(dirname(target))
  const draft = join(dirname(target), `.${basename(target)}.restoring-${process.pid}`)
  await rm(draft, { recursive: true, force: true })
  try {
    makeFolder(draft)
    await writeFiles(repository, snapshot, draft)
    await rename(draft, target)
    await syncFolder(dirname(target))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function writeFiles(repository: Repository, { files, objects }: Snapshot, folder: string): Promise<void> {
  const contents = createContents(repository, objects)
  for (const { path, pieces, bytes } of files) {
    const target = join(folder, path)
    if (path.endsWith('/')) {
      makeFolder(target)
      continue
    }
    makeFolder(dirname(target))
    const file = await open(target, 'wx', 0o600)
    try {
      let at = 0
      for (const [number, offset, length] of pieces) {
        // Zeros are left out: the file's length makes them.
        if (number !== -1) await writeAt(file, (await contents(number)).subarray(offset, offset + length), at)
        at += length
      }
      await file.truncate(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
  }
  const folders = new Set(files.map(({ path }) => dirname(join(folder, path))))
  for (const path of [...folders, folder]) await syncFolder(path)
}

/** A single write may stop early, on a disk that is almost full. */
async function writeAt(file: FileHandle, content: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < content.length; ) {
    done += (await file.write(content, done, content.length - done, position + done)).bytesWritten
  }
}

/** Objects that are read again soon, because most files have pieces of a few. */
const held = 16

function createContents(repository: Repository, objects: Snapshot['objects']) {
  const contents = new Map<Piece[0], Uint8Array>()
  return async (number: Piece[0]): Promise<Uint8Array> => {
    const known = contents.get(number)
    if (known) return known
    const object = objects[number]
    if (!object) throw new BackupRefusedError(`there is no object ${number}`)
    const content = await repository.get(object)
    const [oldest] = contents.keys()
    if (contents.size >= held && oldest !== undefined) contents.delete(oldest)
    contents.set(number, content)
    return content
  }
}
