import { workerData } from 'node:worker_threads'
import { outOfMemorySignal, type WatchdogData } from './messages.ts'

// A thread of a parsing process. It works while the parser is in a long loop: V8's own limit does not count buffers,
// and a loop does not notice that the service is gone.

const { parent, maxBytes }: WatchdogData = workerData
const everyMs = 25

setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL')
  if (process.memoryUsage.rss() > maxBytes) process.kill(process.pid, outOfMemorySignal)
}, everyMs)
