import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { constants, deflateRaw, inflateRaw } from 'node:zlib'
import { BackupRefusedError } from '../../model/backup.ts'
import { makeFolder, nullIfMissing, syncFolder } from '../resilience/folders.ts'
import { namesIn, statOf, writeWhole } from './files.ts'
import { formatSnapshot, marker, objectBytes, parseSnapshot, type Snapshot, type StoredObject } from './format.ts'

const compress = promisify(deflateRaw)
const expand = promisify(inflateRaw)

/** The first byte of an object: how the rest is stored. */
const plain = 0
const deflated = 1

/** A folder of snapshots, and of the objects that they are made of. */
export interface Repository {
  path: string
  /** The ids of its snapshots, oldest first. */
  ids(): Promise<string[]>
  /** Throws a `BackupRefusedError` when it is missing or damaged. */
  read(id: string): Promise<Snapshot>
  /** Stores content; an object that is there already is not written again. */
  put(content: Uint8Array): Promise<{ object: StoredObject; isNew: boolean }>
  /** The content of an object, checked. Throws a `BackupRefusedError`. */
  get(object: StoredObject): Promise<Uint8Array>
  /** Whether the object is there with its length; its content is not read. */
  has(object: StoredObject): Promise<boolean>
  /** Makes a snapshot appear. */
  add(snapshot: Omit<Snapshot, 'sha256'>): Promise<Snapshot>
  /** Removes all snapshots but the newest `keep`, and the objects that only they need. */
  prune(keep: number): Promise<void>
}

/** Makes the folder if it is missing or empty. Throws a `BackupRefusedError` when it holds something else. */
export async function makeRepository(folder: string): Promise<Repository> {
  const path = resolve(folder)
  const file = join(path, 'backup.json')
  const known = ['lock', 'lock-journal', 'lock.pid']
  const others = (await namesIn(path)).filter((name) => !known.includes(name) && !name.endsWith('.partial'))
  if (others.length > 0) return openRepository(folder)
  makeFolder(path)
  await writeWhole(file, `${JSON.stringify(marker)}\n`)
  return repositoryAt(path)
}

/** Throws a `BackupRefusedError` when the folder is not a backup, or one of a newer format. */
export async function openRepository(folder: string): Promise<Repository> {
  const path = resolve(folder)
  const file = join(path, 'backup.json')
  if (!(await statOf(file))?.isFile()) throw new BackupRefusedError(`${path} is not a backup: it has no backup.json`)
  const found = markerIn(await readFile(file, 'utf8'))
  if (found?.format !== marker.format) throw new BackupRefusedError(`${file} does not say that this is a backup`)
  if (found.version !== marker.version) {
    throw new BackupRefusedError(
      `${path} has the backup format ${found.version}, and this version of the service reads ${marker.version}; use a newer one`,
    )
  }
  return repositoryAt(path)
}

function markerIn(text: string): { format?: unknown; version?: unknown } | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function repositoryAt(path: string): Repository {
  const snapshots = join(path, 'snapshots')
  const objects = join(path, 'objects')
  const fileOf = (sha256: string) => join(objects, sha256.slice(0, 2), sha256)
  const snapshotFile = (id: string) => join(snapshots, `${id}.json`)

  const ids = async () => {
    const names = await namesIn(snapshots)
    return names.flatMap((name) => /^(\d{8}T\d{6}Z-[0-9a-f]{8})\.json$/.exec(name)?.[1] ?? []).sort()
  }

  const read = async (id: string) => {
    const file = snapshotFile(id)
    if (!(await statOf(file))?.isFile()) throw new BackupRefusedError(`there is no snapshot ${id} in ${path}`)
    const found = parseSnapshot(await readFile(file, 'utf8'), file)
    if (found.id !== id) throw new BackupRefusedError(`${file} is the snapshot ${found.id} under another name`)
    return found
  }

  const has = async ({ sha256, bytes }: StoredObject) => {
    const found = await statOf(fileOf(sha256))
    return found?.isFile() === true && found.size === bytes
  }

  return {
    path,
    ids,
    read,
    has,

    async put(content) {
      const small = await compress(content, { level: constants.Z_DEFAULT_COMPRESSION })
      const isSmaller = small.length < content.length * 0.98
      const stored = Buffer.concat([Buffer.of(isSmaller ? deflated : plain), isSmaller ? small : content])
      const sha256 = createHash('sha256').update(stored).digest('hex')
      const object = { sha256, bytes: stored.length, content: content.length }
      if (await has(object)) return { object, isNew: false }
      const folder = join(objects, sha256.slice(0, 2))
      makeFolder(folder)
      await writeWhole(fileOf(sha256), stored)
      return { object, isNew: true }
    },

    async get({ sha256, bytes, content }) {
      const file = fileOf(sha256)
      const found = await statOf(file)
      if (!found) throw new BackupRefusedError(`${file} is missing`)
      // A link would lead out of the backup.
      if (!found.isFile()) throw new BackupRefusedError(`${file} is not a file`)
      if (found.size !== bytes) throw new BackupRefusedError(`${file} has ${found.size} bytes instead of ${bytes}`)
      const stored = await readFile(file)
      if (createHash('sha256').update(stored).digest('hex') !== sha256) {
        throw new BackupRefusedError(`${file} is damaged: its SHA-256 does not fit its name`)
      }
      const rest = stored.subarray(1)
      const whole = stored[0] === deflated ? await expand(rest, { maxOutputLength: objectBytes + 1 }) : rest
      if (whole.length !== content) throw new BackupRefusedError(`${file} holds ${whole.length} bytes, not ${content}`)
      return whole
    },

    async add(snapshot) {
      const { text, sha256 } = formatSnapshot(snapshot)
      makeFolder(snapshots)
      // The snapshot is durable after everything that it names.
      for (const folder of [objects, path]) await syncFolder(folder)
      await writeWhole(snapshotFile(snapshot.id), text)
      return { ...snapshot, sha256 }
    },

    async prune(keep) {
      const all = await ids()
      const kept = all.slice(-keep)
      const needed = new Set<string>()
      for (const id of kept) for (const { sha256 } of (await read(id)).objects) needed.add(sha256)
      for (const id of all.slice(0, -keep)) await rm(snapshotFile(id), { force: true })
      await syncFolder(snapshots)
      for (const folder of await namesIn(objects)) {
        for (const name of await namesIn(join(objects, folder))) {
          if (!needed.has(name)) await rm(join(objects, folder, name), { force: true }).catch(nullIfMissing)
        }
      }
    },
  }
}
