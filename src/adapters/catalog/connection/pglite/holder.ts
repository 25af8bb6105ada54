import { readFileSync } from 'node:fs'

/** A process, so that another one that later gets its number is not taken for it. */
export interface Holder {
  pid: number
  /** When it started, as /proc/PID/stat of proc(5) has it; `-` where that is unknown. */
  start: string
}

export const thisProcess = (): Holder => ({ pid: process.pid, start: startOf(process.pid) })

export const formatHolder = ({ pid, start }: Holder): string => `${pid}\n${start}\n`

/** Null when there is no such file, or nothing readable in it. */
export function readHolder(file: string): Holder | null {
  try {
    const [first = '', start = '-'] = readFileSync(file, 'utf8').split('\n')
    const pid = Number.parseInt(first, 10)
    return Number.isNaN(pid) ? null : { pid, start: start || '-' }
  } catch {
    return null
  }
}

/** Whether the process still runs. */
export function isRunning({ pid, start }: Holder): boolean {
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
