import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from './app.ts'
import type { RunningServer } from './http/server.ts'
import type { Runtime } from './runtime.ts'

/** After its last answer, what the process may still take to write out what it holds. */
const maxMs = 20_000

interface Stopped {
  app: App
  server: RunningServer
  runtime: Runtime
  exit(code: number): void
}

/**
 * What a signal does. First the process only says that it leaves, and serves on for DRAIN_MS, so that a load balancer that
 * looks at /readyz finds it out in time; then it takes nothing new, finishes what it has, and exits with 0. A second
 * signal ends the wait.
 */
export function createStop({ app, server, runtime, exit }: Stopped): () => Promise<void> {
  const { config, bindings } = runtime
  const hurry = new AbortController()
  let stopping = false
  return async () => {
    if (stopping) return hurry.abort()
    stopping = true
    app.leave()
    server.leave()
    await sleep(config.drainMs, undefined, { signal: hurry.signal }).catch(() => {})
    await server.close()
    setTimeout(() => {
      bindings.log.error({}, 'the stop took too long and was broken off')
      exit(1)
    }, maxMs).unref()
    try {
      await runtime.dispose()
    } catch (err) {
      bindings.log.error({ err }, 'the stop failed')
      return exit(1)
    }
    exit(0)
  }
}
