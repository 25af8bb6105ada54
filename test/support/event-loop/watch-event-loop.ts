import type { Stall } from './messages.ts'

const tickMs = 2

/**
 * Measures the stalls of this thread's event loop with a timer that should fire every 2 ms. Wall-clock time alone would
 * also count time of other processes on the machine. So it also measures the thread's CPU time between two ticks: work
 * that blocks the loop uses the same amount of CPU time.
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
