import { readFileSync } from 'node:fs'
import { OperatorError } from '../../../../model/operator-error.ts'

/** What the process has open besides the database's files and connections: threads, logs, locks, running parsers. */
const others = 96

/** What PostgreSQL accepts for `max_files_per_process`. */
const databaseFiles = { min: 64, max: 1000 }

const connections = { min: 32, max: 2000 }

/** With fewer open files the service does not start. */
const minOpenFiles = others + databaseFiles.min + connections.min

/** The limit of open files does not suffice. */
export class TooManyFilesError extends OperatorError {
  override readonly name = 'TooManyFilesError'

  constructor(limit: number = openFilesLimit()) {
    const needed = `needs at least ${minOpenFiles}; raise the limit (ulimit -n, or LimitNOFILE of systemd)`
    super(`this process may have at most ${limit} files open, and ${needed}`)
  }
}

/** The limit of open files of this process (RLIMIT_NOFILE); infinite where the system does not tell it (no /proc). */
export function openFilesLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** How the files that this process may have open are divided. PostgreSQL closes and reopens files above its share; a connection above its share is closed at once. */
export function divideOpenFiles(limit: number) {
  const free = limit - others
  const database = Math.floor(Math.min(databaseFiles.max, Math.max(databaseFiles.min, free / 4)))
  return { database, connections: Math.min(connections.max, free - database) }
}

/** Throws a sentence for an operator, if the process may open too few files to serve. */
export function requireOpenFiles(limit: number = openFilesLimit()): void {
  if (limit < minOpenFiles) throw new TooManyFilesError(limit)
}
