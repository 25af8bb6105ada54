import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../../../model/operator-error.ts'

/** Another process, or an earlier `startPglite` of this one, has the data directory open. */
export class DataDirectoryLockedError extends OperatorError {
  override readonly name = 'DataDirectoryLockedError'
  readonly dataDir: string
  readonly pid: number | null

  constructor(dataDir: string, pid: number | null) {
    const holder = pid === process.pid ? 'already in use by this process' : 'in use by another process'
    const who = pid === null ? '' : ` (pid ${pid})`
    super(`the data directory ${dataDir} is ${holder}${who}; stop it or set DATA_DIR`)
    this.dataDir = dataDir
    this.pid = pid
  }
}

export interface DirectoryLock {
  release(): void
}

/** SQLITE_BUSY. */
const busy = 5

/** Open lock connections. Without a reference a connection would be garbage-collected and its lock lost. */
const held = new Set<DatabaseSync>()

/**
 * Takes `<dataDir>/lock`, or throws `DataDirectoryLockedError`. Two PGlites on one directory silently lose rows.
 *
 * The lock is SQLite's: an exclusive transaction that stays open. It uses the kernel's file locks, so it ends with its
 * process, however that ends. SQLite also tracks locks within the process, which the kernel's locks do not.
 * Nothing else here may open the file: closing any descriptor of it would drop the lock.
 */
export function lockDirectory(dataDir: string): DirectoryLock {
  const pidFile = join(dataDir, 'lock.pid')
  const sqlite = loadSqlite()
  const database = new sqlite.DatabaseSync(join(dataDir, 'lock'), { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) {
      throw new DataDirectoryLockedError(dataDir, readPid(pidFile))
    }
    throw error
  }
  held.add(database)
  // Only for the message above; the pid decides nothing.
  writeFileSync(pidFile, `${process.pid}\n`)
  return {
    release: () => {
      if (!held.delete(database)) return
      rmSync(pidFile, { force: true })
      database.close()
    },
  }
}

function readPid(file: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    return Number.isNaN(pid) ? null : pid
  } catch {
    return null
  }
}

/** node:sqlite without its "experimental" warning, which does not help someone who starts a server. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
