import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { formatHolder, isRunning, readHolder, thisProcess } from './holder.ts'

/**
 * The lock of a folder for a Node without SQLite: a file that only one process can make. The file of a process that no
 * longer runs is taken away first. Returns false while another one holds it.
 */
export function takeFileLock(file: string): boolean {
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
