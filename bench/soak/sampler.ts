import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { samplesOf } from '../../test/support/metrics/families.ts'
import type { Measure } from './judge.ts'

const mebibyte = 2 ** 20

/** What is judged, and the resolution of each. The floors are far below what anyone would notice. */
export const measures: readonly Measure[] = [
  { name: 'resident memory', unit: 'MiB', floor: 2, settling: 256 },
  { name: 'heap in use', unit: 'MiB', floor: 1, settling: 128 },
  { name: 'memory beside the heap', unit: 'MiB', floor: 1, settling: 32 },
  { name: 'index memory', unit: 'MiB', floor: 1 },
  { name: 'open handles', unit: '', floor: 1 },
  { name: 'threads', unit: '', floor: 0 },
  { name: 'files', unit: '', floor: 2 },
  { name: 'bytes', unit: 'MiB', floor: 1 },
  { name: 'index lag', unit: 'ms', floor: 20 },
  // Among them are verifications of the audit log, which read all of it.
  { name: 'processor time of an operation', unit: 'ms', floor: 1, shownOnly: true },
  { name: 'search', unit: 'of the reference', floor: 0.1 },
  { name: 'write', unit: 'of the reference', floor: 0.1 },
  { name: 'search, time', unit: 'ms', floor: 0, shownOnly: true },
  { name: 'write, time', unit: 'ms', floor: 0, shownOnly: true },
  { name: 'reference', unit: 'ms', floor: 0, shownOnly: true },
]

/** Memory, handles and threads of a process (proc(5)). */
export function processOf(pid: number): Record<string, number> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  return {
    'resident memory': field('VmRSS') / 1024,
    threads: field('Threads'),
    // Of all processors since the start, in ticks of 10 ms.
    processor: processorTicks(pid) * 10,
    'open handles': readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** `utime` and `stime`, after the name, which may hold anything. */
function processorTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** What the service's own metrics say. */
export async function scrape(url: string): Promise<Record<string, number>> {
  const samples = samplesOf(await (await fetch(url)).text())
  const of = (name: string) => samples.filter((sample) => sample.name === name).map(({ value }) => value)
  const total = (name: string) => of(name).reduce((sum, value) => sum + value, 0)
  return {
    'heap in use': total('nodejs_heap_size_used_bytes') / mebibyte,
    'memory beside the heap': total('nodejs_external_memory_bytes') / mebibyte,
    'index memory': total('retrieval_index_memory_bytes') / mebibyte,
    'index lag': Math.max(0, ...of('retrieval_index_lag_seconds')) * 1000,
  }
}

/** Files and bytes below a folder. Files may vanish meanwhile. */
export function folderOf(path: string): { files: number; bytes: number } {
  let [files, bytes] = [0, 0]
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const stat = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })
    files += 1
    bytes += stat?.size ?? 0
  }
  return { files, bytes }
}
