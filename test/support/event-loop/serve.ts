import { createApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { startServer } from '../../../src/http/server.ts'
import { createRuntime } from '../../../src/runtime.ts'
import type { Command, Report } from './messages.ts'
import { threadCpuMs, watchEventLoop } from './watch-event-loop.ts'

// The service in its own process, which measures its event loop. It ends with the process that started it.

const config = readConfig(process.env)
const runtime = await createRuntime(config)
const server = await startServer(createApp(runtime).handler, {
  host: config.host,
  port: config.port,
  log: runtime.bindings.log,
})
const watch = watchEventLoop()

process.on('message', (command: Command) => {
  if (command.kind === 'begin') watch.begin()
  if (command.kind === 'hold') hold(command.ms)
  report({ kind: 'stall', stall: watch.longest() })
})
process.on('disconnect', () => process.exit(0))

/** Blocks the event loop, as a bug would. */
function hold(ms: number): void {
  const end = threadCpuMs() + ms
  while (threadCpuMs() < end);
}

const report = (message: Report) => process.send?.(message)
report({ kind: 'listening', url: server.url })
