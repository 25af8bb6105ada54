import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** Of one process, in bytes. */
export interface Memory {
  /** All that is resident: also the shared pages of the program file, and files that are mapped. */
  rss: number
  /** What the process itself allocated: heaps, WebAssembly and shared array buffers. */
  own: number
}

/**
 * What an idle process is down to: the least of some seconds, because garbage stays until it is collected.
 * Null where the system does not tell (it takes Linux's /proc).
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
