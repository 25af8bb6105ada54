import { fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { WorkerHost } from '../../../src/async/worker-host.ts'
import type { EchoCalls } from './echo.ts'

// Uses a thread and a process, and ends neither: that must not keep it alive.

const url = new URL('./echo.ts', import.meta.url)
const failureOf = () => new Error('ended')

for (const worker of [new Worker(url), fork(url, { serialization: 'advanced' })]) {
  const host = new WorkerHost<EchoCalls>(worker, { failureOf })
  process.stdout.write(await host.call('later', { text: 'answered ', ms: 20 }))
}
