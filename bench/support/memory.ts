import { readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Memory of one process, in bytes. */
export interface Memory {
  /** All resident memory, including shared pages of the program file and mapped files. */
  rss: number
  /** The process's own allocations: heaps, WebAssembly and shared array buffers. */
  own: number
}

/**
 * The memory of an idle process: the minimum over some seconds, because garbage stays until it is collected. Null if
 * the system does not report it (it requires Linux's /proc).
 */
export async function settledMemory(pid: number, seconds = 10): Promise<Memory | null> {
  let least = await memoryOf(pid)
  for (let i = 0; i < seconds && least; i++) {
    await sleep(1000)
    const now = await memoryOf(pid)
    if (now && now.own < least.own) least = now
  }
  return least
}

async function memoryOf(pid: number): Promise<Memory | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null)
  if (status === null) return null
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
  return { rss: bytes('VmRSS'), own: bytes('RssAnon') + bytes('RssShmem') }
}

/** Forgets the peak until now (clear_refs in proc(5)). */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/** The most that a process has held, in bytes; 0 if it has ended, or if the system does not report it. */
export function peakMemory(pid: number | string): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
