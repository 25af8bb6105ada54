import { accessSync, constants, statfsSync } from 'node:fs'

const path = '/dev/shm'
const enough = 4 * 2 ** 30

/** A file system in memory for the databases of a run, if the machine has one: Linux does, containers a small one. */
export function memoryDisk(): string | null {
  try {
    accessSync(path, constants.W_OK)
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize >= enough ? path : null
  } catch {
    return null
  }
}
