import { readdirSync, readFileSync } from 'node:fs'
import { peakMemory } from '../support/memory.ts'

const everyMs = 50

/** Watches the resident memory of this process's children, by Linux's own account of the peak. */
export function peakOfChildren(): { stop(): number } {
  let peak = 0
  const look = () => {
    for (const pid of children()) peak = Math.max(peak, peakMemory(pid))
  }
  const timer = setInterval(look, everyMs).unref()
  return {
    /** In bytes. */
    stop: () => {
      look()
      clearInterval(timer)
      return peak
    },
  }
}

function children(): string[] {
  const tasks = `/proc/${process.pid}/task`
  return readdirSync(tasks).flatMap((task) => readProc(`${tasks}/${task}/children`).split(' ').filter(Boolean))
}

/** A child may have ended meanwhile. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
