import type { Stall } from './messages.ts'

const tickMs = 2

/**
 * Watches the event loop of this thread by a timer that should come every 2 ms. The clock alone would blame the service
 * for other processes on the machine, so the CPU time of the thread between two ticks is kept too: what holds the loop up
 * by work of its own takes as much of it.
 */
export function watchEventLoop(): { begin(): void; longest(): Stall } {
  let longest: Stall = { wallMs: 0, cpuMs: 0 }
  let ticked = performance.now()
  let used = threadCpuMs()
  const look = () => {
    const [now, cpu] = [performance.now(), threadCpuMs()]
    longest = {
      wallMs: Math.max(longest.wallMs, now - ticked - tickMs),
      cpuMs: Math.max(longest.cpuMs, cpu - used),
    }
    ticked = now
    used = cpu
  }
  setInterval(look, tickMs)
  return {
    begin: () => {
      look()
      longest = { wallMs: 0, cpuMs: 0 }
    },
    longest: () => {
      look()
      return longest
    },
  }
}

export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
