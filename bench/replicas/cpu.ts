import { readFile } from 'node:fs/promises'

/** Processor seconds that processes have used so far. NaN where the system does not tell (it takes Linux's /proc). */
export async function cpuOf(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(pids.map(ofProcess))
  return each.reduce((sum, seconds) => sum + seconds, 0)
}

/** The kernel counts in hundredths. */
async function ofProcess(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name, in parentheses, may hold spaces; user and system time are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}
