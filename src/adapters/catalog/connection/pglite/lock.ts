import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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

/**
 * The lock of a folder for a Node without SQLite: a file that only one process can make. The file of a process that no
 * longer runs is taken away first. Returns false while another one holds it.
 */
function takeFileLock(file: string): boolean {
  const own = formatHolder(thisProcess())
  for (;;) {
    try {
      writeFileSync(file, own, { flag: 'wx' })
      return true
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
    const holder = readHolder(file)
    if (holder && isRunning(holder)) return false
    removeStale(file, holder ? formatHolder(holder) : null)
  }
}

/** Only one process can rename it. A lock that another one took meanwhile is put back. */
function removeStale(file: string, stale: string | null): void {
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
    const found = readFileSync(aside, 'utf8')
    if (stale !== null && found !== stale) linkSync(aside, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EEXIST')))
      throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/** A process, so that another one that later gets its number is not taken for it. */
interface Holder {
  pid: number
  /** When it started, as /proc/PID/stat of proc(5) has it; `-` where that is unknown. */
  start: string
}

const thisProcess = (): Holder => ({ pid: process.pid, start: startOf(process.pid) })

const formatHolder = ({ pid, start }: Holder): string => `${pid}\n${start}\n`

/** Null when there is no such file, or nothing readable in it. */
function readHolder(file: string): Holder | null {
  try {
    const [first = '', start = '-'] = readFileSync(file, 'utf8').split('\n')
    const pid = Number.parseInt(first, 10)
    return Number.isNaN(pid) ? null : { pid, start: start || '-' }
  } catch {
    return null
  }
}

/** Whether the process still runs. */
function isRunning({ pid, start }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  return start === '-' || startOf(pid) === '-' || startOf(pid) === start
}

function startOf(pid: number): string {
  try {
    // The name before may hold spaces and brackets; field 22 is the twentieth after it.
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? '-'
    )
  } catch {
    return '-'
  }
}
