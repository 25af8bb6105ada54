import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '../../../../model/operator-error.ts'
import { takeFileLock } from './file-lock.ts'
import { formatHolder, isRunning, readHolder, thisProcess } from './holder.ts'

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
  return lockFolder(dataDir, (pid) => new DataDirectoryLockedError(dataDir, pid))
}

/**
 * The same for any folder; `inUse` makes the error for one that another process has locked. A Node without SQLite locks
 * by a file instead. Each way writes its own file before it looks for that of the other.
 */
export function lockFolder(folder: string, inUse: (pid: number | null) => Error): DirectoryLock {
  const [pidFile, holderFile] = [join(folder, 'lock.pid'), join(folder, 'lock.holder')]
  const sqlite = loadSqlite()
  const release = sqlite ? lockBySqlite(sqlite, folder, () => inUse(readHolder(pidFile)?.pid ?? null)) : () => {}
  if (!sqlite && (heldFiles.has(holderFile) || !takeFileLock(holderFile))) {
    throw inUse(readHolder(holderFile)?.pid ?? null)
  }
  if (sqlite) writeFileSync(pidFile, formatHolder(thisProcess()))
  else heldFiles.add(holderFile)
  const [own, other] = sqlite ? [pidFile, holderFile] : [holderFile, pidFile]
  let isHeld = true
  const lock = {
    release: () => {
      if (!isHeld) return
      isHeld = false
      heldFiles.delete(own)
      rmSync(own, { force: true })
      release()
    },
  }
  const holder = readHolder(other)
  if (holder && isRunning(holder)) {
    lock.release()
    throw inUse(holder.pid)
  }
  return lock
}

/** Files of locks that this process holds. */
const heldFiles = new Set<string>()

function lockBySqlite(sqlite: Sqlite, folder: string, inUse: () => Error): () => void {
  const database = new sqlite.DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) throw inUse()
    throw error
  }
  held.add(database)
  return () => {
    held.delete(database)
    database.close()
  }
}

type Sqlite = typeof import('node:sqlite')

/** node:sqlite without its "experimental" warning, which does not help someone who starts a server. Node 20 has none. */
function loadSqlite(): Sqlite | undefined {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
