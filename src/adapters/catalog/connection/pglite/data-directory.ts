import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../../../model/operator-error.ts'
import { makeFolder } from '../../../resilience/folders.ts'
import { MigrationConflictError } from '../migrations/migrate.ts'
import { freeBytes, startBytes } from './free-space.ts'
import { TooManyFilesError } from './open-files.ts'

/** The data directory or its content cannot be used. */
class DataUnusableError extends OperatorError {
  override readonly name = 'DataUnusableError'
}

/** Makes the directory if it is missing. Throws `DataUnusableError` if a catalog cannot be opened or made in it. */
export function prepareDirectory(dataDir: string): void {
  try {
    makeFolder(dataDir)
    requireAccess(dataDir)
  } catch (error) {
    throw new DataUnusableError(
      `the data directory ${dataDir} ${problemOf(error)}; set DATA_DIR to one that can be written to`,
    )
  }
  requireCatalogOrNothing(join(dataDir, 'catalog'), existsSync(creatingMarker(dataDir)))
  requireStartSpace(dataDir)
}

function requireAccess(folder: string): void {
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
}

/** Exists next to a catalog while it is being made. */
export const creatingMarker = (dataDir: string) => join(dataDir, 'catalog.creating')

export const isCatalog = (folder: string) => existsSync(join(folder, 'PG_VERSION'))

/** Whether the directory has a catalog that was made to its end. */
export const isComplete = (dataDir: string) =>
  isCatalog(join(dataDir, 'catalog')) && !existsSync(creatingMarker(dataDir))

function requireCatalogOrNothing(folder: string, isHalfMade: boolean): void {
  if (!existsSync(folder)) return
  const advice = 'move it away, or set DATA_DIR to another directory'
  if (!statSync(folder).isDirectory()) throw new DataUnusableError(`${folder} is not a directory; ${advice}`)
  const [first] = readdirSync(folder)
  if (first === undefined || isHalfMade || isCatalog(folder)) return
  throw new DataUnusableError(`${folder} does not hold a catalog, but ${first} and maybe more; ${advice}`)
}

function requireStartSpace(dataDir: string): void {
  const needed = isCatalog(join(dataDir, 'catalog')) ? startBytes.existing : startBytes.fresh
  if (freeBytes(dataDir) < needed) throw fullDisk(dataDir, needed)
}

function fullDisk(dataDir: string, needed: number): DataUnusableError {
  const free = `free at least ${Math.ceil(needed / 2 ** 20)} MiB, or set DATA_DIR to another disk`
  return new DataUnusableError(`the disk of the data directory ${dataDir} is full; ${free}`)
}

/** Why the catalog could not be opened, from the last message of the database. */
export function unusableCatalog(dataDir: string, error: unknown): OperatorError {
  if (error instanceof MigrationConflictError)
    return new DataUnusableError(`${join(dataDir, 'catalog')}: ${error.message}`)
  if (error instanceof OperatorError) return error
  const said = error instanceof Error ? error.message : String(error)
  if (/No space left on device|Disk quota exceeded/.test(said)) return fullDisk(dataDir, startBytes.existing)
  if (/EMFILE|Too many open files/i.test(said)) return new TooManyFilesError()
  const reason = said
    .replace(/^.*?\b(FATAL|PANIC): +/s, '')
    .trim()
    .replaceAll(/\s+/g, ' ')
  return new DataUnusableError(
    `the catalog in ${join(dataDir, 'catalog')} is damaged or cannot be read (${reason}); restore the data directory from a backup, or set DATA_DIR to another one`,
  )
}

const problems: Readonly<Record<string, string>> = {
  ENOTDIR: 'is not a directory, or is below something that is not one',
  EROFS: 'is on a read-only file system',
  EACCES: 'cannot be written to by this user',
  EPERM: 'cannot be written to by this user',
  ENOSPC: 'cannot be made because its disk is full',
  ENOENT: 'cannot be made: its file system takes no new folders',
}

function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return problems[code] ?? `cannot be used (${code})`
}
