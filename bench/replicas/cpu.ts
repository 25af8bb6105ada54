import { readFile } from 'node:fs/promises'

/** CPU seconds that processes have used so far. NaN if the system does not report it (it requires Linux's /proc). */
export async function cpuOf(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(pids.map(ofProcess))
  return each.reduce((sum, seconds) => sum + seconds, 0)
}

/** The kernel counts in hundredths of a second. */
async function ofProcess(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name, in parentheses, may contain spaces. User and system time are the 12th and 13th fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
