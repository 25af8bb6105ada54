import { setFlagsFromString } from 'node:v8'

const lookEveryMs = 500
/** Of one core. */
const idleShare = 0.1
/** How many times in a row it is idle before memory is given back. */
const enough = 8

/** Node 20 and 22 know no such mode. */
const firstMajor = 24

/**
 * While the process has nothing to do, V8 collects the garbage of every thread, in small steps, and gives the pages to the system. Otherwise it keeps
 * what the last burst of work took: 100 MB after an ingest of 100,000 Units. While there is work the mode would double the CPU of an ingest.
 */
export function giveBackIdleMemory(): void {
  if (Number.parseInt(process.versions.node, 10) < firstMajor) return
  let idle = 0
  let before = process.cpuUsage()
  setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    const isIdle = user + system < idleShare * lookEveryMs * 1000
    if (!isIdle && idle >= enough) setFlagsFromString('--no-memory-saver-mode')
    idle = isIdle ? idle + 1 : 0
    if (idle === enough) setFlagsFromString('--memory-saver-mode')
  }, lookEveryMs).unref()
}
