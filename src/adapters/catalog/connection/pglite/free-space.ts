import { accessSync, constants, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { storageFull, storageUnavailable } from '../../../../errors.ts'

const mebibyte = 2 ** 20

/**
 * Bytes that must be free before a write. A new segment of PostgreSQL's log takes 16 MiB, and the database stops if
 * there is no space for one. With less space, writes are refused and reads continue.
 */
const reserveBytes = 20 * mebibyte

/** What a start needs on existing data, and what creating a catalog needs. */
export const startBytes = { existing: 4 * mebibyte, fresh: 48 * mebibyte }

export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/** Throws 503 `storage_full` or `storage_unavailable` if the directory must not be written to. Costs microseconds. */
export function requireSpace(directory: string): void {
  if (!isWritable(directory)) throw storageUnavailable()
  if (freeBytes(directory) < reserveBytes) throw storageFull()
}

/** Whether the database may write files by itself, as checkpoints do. */
export const hasSpace = (directory: string): boolean => isWritable(directory) && freeBytes(directory) >= reserveBytes

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    // Another write makes a directory that was deleted again, while the database writes into files that nobody sees.
    accessSync(join(directory, 'catalog'))
    return true
  } catch {
    return false
  }
}
