import { accessSync, constants, statfsSync } from 'node:fs'
import { storageFull, storageUnavailable } from '../../../../errors.ts'

const mebibyte = 2 ** 20

/**
 * What must be free before anything is written: a new segment of PostgreSQL's log takes 16 MiB, and the database stops
 * where it cannot have one. With less, what is written is refused while reads go on.
 */
const reserveBytes = 20 * mebibyte

/** What a start takes on data that is there, and what making a catalog takes. */
export const startBytes = { existing: 4 * mebibyte, fresh: 48 * mebibyte }

export function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

/** Throws 503 `storage_full` or `storage_unavailable` while the directory should not be written to. Costs microseconds. */
export function requireSpace(directory: string): void {
  if (!isWritable(directory)) throw storageUnavailable()
  if (freeBytes(directory) < reserveBytes) throw storageFull()
}

/** Whether the database may write files of its own accord, as checkpoints do. */
export const hasSpace = (directory: string): boolean => isWritable(directory) && freeBytes(directory) >= reserveBytes

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** What the database says of a full disk or of one that fails, as the error that callers get; null for anything else. */
export function storageFailure(error: unknown): Error | null {
  const message = error instanceof Error ? error.message : ''
  if (/No space left on device|Disk quota exceeded|`53100`/.test(message)) return storageFull()
  return /Read-only file system|Input\/output error/.test(message) ? storageUnavailable() : null
}
