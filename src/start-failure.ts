import { OperatorError } from './model/operator-error.ts'

/** What system errors mean to an operator. */
const advice: Readonly<Record<string, (subject: string) => string>> = {
  ENOSPC: (path) => `the disk of ${path} is full; free some space`,
  EDQUOT: (path) => `the disk quota of ${path} is used up; free some space`,
  EROFS: (path) => `${path} is on a read-only file system; make it writable, or set DATA_DIR`,
  EACCES: (path) =>
    `${path} may not be written to or used by this user; change its rights, or set DATA_DIR, HOST or PORT`,
  EPERM: (path) => `${path} may not be changed by this user; change its rights, or set DATA_DIR`,
  ENOTDIR: (path) => `${path} is below something that is not a directory; set DATA_DIR to a directory`,
  EEXIST: (path) => `${path} is not a directory; move it away, or set DATA_DIR to a directory`,
  EMFILE: () => 'this process has too many files open; raise the limit (ulimit -n, or LimitNOFILE of systemd)',
  EADDRINUSE: (address) => `${address} is in use by another process; stop it, or set PORT`,
  EADDRNOTAVAIL: (address) => `${address} is not an address of this machine; set HOST`,
}

/** The message for a failed start: a sentence if an operator can fix the problem, else the error itself. */
export function startFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof OperatorError) return error.message
  if (!('code' in error)) return error
  const code = String(error.code)
  return `cannot start: ${advice[code]?.(subjectOf(error)) ?? (error.message.trim().replaceAll(/\s+/g, ' ') || code)}`
}

function subjectOf(error: object): string {
  if ('path' in error) return String(error.path)
  if ('address' in error && 'port' in error) return `${error.address}:${error.port}`
  return 'DATA_DIR'
}
